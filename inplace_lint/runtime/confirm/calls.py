"""The calls of a run: which op, where in the user's program, and which of its operands it wrote."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode, _get_current_function_mode_stack, resolve_name
from torch.utils import _pytree as pytree

from inplace_lint.runtime.confirm.fork import Fork
from inplace_lint.runtime.confirm.key import Key
from inplace_lint.runtime.recorder import Place
from inplace_lint.runtime.recorder.engine import watched
from inplace_lint.runtime.recorder.saves import version

# Accessors are ops only for attributes that share memory with their tensor.
_NO_OPS = ("__get__", "__set__", "__delete__", "_set_grad_enabled")
_SHARING = ("data", "T", "mT", "H", "mH", "real", "imag")


@dataclass(frozen=True, slots=True)
class Called:
    """One call: `written` are positions among its tensors, `refused` says that PyTorch raised."""

    key: Key
    written: frozenset[int] = frozenset()
    refused: bool = False


class Calls(TorchFunctionMode):
    """Notes the calls inside `with calls:`, and lets a fork change them.

    Attributes:
        log: the calls so far.
        current: the call that is running, or ran last.

    Args:
        place: where the program is.
        fork: what to change about the run.
    """

    def __init__(self, place: Callable[[], Place], fork: Fork | None = None) -> None:
        super().__init__()
        self.log: list[Called] = []
        self.current: Key | None = None
        self._place = place
        self._fork = fork
        self._names: dict[Any, str | None] = {}
        self._patches = ExitStack()

    def __enter__(self) -> Calls:
        self._patches.__enter__()
        self._patches.enter_context(watched(self))
        self._patches.enter_context(patch.object(torch.autograd.Function, "apply", classmethod(self._applying())))
        super().__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        self._patches.__exit__(*error)

    def _applying(self) -> Callable[..., Any]:
        apply = torch.autograd.Function.__dict__["apply"].__func__

        def run(cls: type, *args: Any, **kwargs: Any) -> Any:
            if self._fork is None:
                return apply(cls, *args, **kwargs)
            return self._fork.apply(self._place().site, lambda *given: apply(cls, *given, **kwargs), args)

        return run

    def backward(self, call: Callable[[], Any], outputs: Sequence[Any], inputs: Sequence[Any]) -> Any:
        """Listen during a backward pass, too: hooks and custom functions call ops, but `backward` hides them."""
        listening = self in _get_current_function_mode_stack()
        with nullcontext() if listening else _Again(self), self._fork.backward() if self._fork else nullcontext():
            return call()

    def apply(self, call: Callable[[], Any], name: str, arguments: Sequence[Any]) -> Any:
        """Run a custom function; what it does inside is seen op by op."""
        return call()

    def checkpointed(self, owner: object, saved: Sequence[Any]) -> None:
        """Checkpoints are nothing special here."""

    def __torch_function__(
        self, func: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        return self.call(func, args, kwargs or {})

    def call(self, func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """Run one op."""
        name = self._name(func)
        if name is None:
            return func(*args, **kwargs)
        place = self._place()
        self.current = key = Key(name, place.site, place.stack)
        leaves, structure = pytree.tree_flatten((tuple(args), kwargs))
        tensors = [i for i, leaf in enumerate(leaves) if isinstance(leaf, Tensor)]
        if self._fork is not None:
            leaves = self._fork.operands(key, leaves)
        before = [version(leaves[i]) for i in tensors]
        try:
            args, kwargs = pytree.tree_unflatten(leaves, structure)
            result = self._fork.run(key, func, args, kwargs) if self._fork is not None else func(*args, **kwargs)
        except RuntimeError:
            target = kwargs.get("out", leaves[tensors[0]] if tensors else None)
            self.log.append(Called(key, frozenset(i for i in tensors if leaves[i] is target), refused=True))
            raise
        written = {i for i, old in zip(tensors, before, strict=True) if version(leaves[i]) != old}
        written.update(i for i in tensors if any(leaves[i] is buffer for buffer in _uncounted(name, args, kwargs)))
        self.log.append(Called(key, frozenset(written)))
        return result

    def _name(self, func: Any) -> str | None:
        if func not in self._names:
            owner = getattr(getattr(func, "__self__", None), "__name__", "")
            resolve = func.__name__ not in _NO_OPS or owner in _SHARING
            self._names[func] = (resolve_name(func) or func.__name__) if resolve else None
        return self._names[func]


def _uncounted(name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
    """What an op writes although no version counter tells: running statistics."""
    if name == "torch.nn.functional.batch_norm":
        training = kwargs.get("training", args[5] if len(args) > 5 else False)
    elif name == "torch.nn.functional.instance_norm":
        training = kwargs.get("use_input_stats", args[5] if len(args) > 5 else True)
    else:
        return []
    given = [*args[1:3], kwargs.get("running_mean"), kwargs.get("running_var")]
    return [buffer for buffer in given if buffer is not None] if training else []


class _Again(TorchFunctionMode):
    """Listens for calls where the mode itself has stepped aside."""

    def __init__(self, calls: Calls) -> None:
        super().__init__()
        self._calls = calls

    def __torch_function__(
        self, func: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        return self._calls.call(func, args, kwargs or {})
