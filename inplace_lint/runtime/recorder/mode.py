"""Sees each op that Python calls, and leaves aside what is none."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode, _get_current_function_mode, _pop_mode_temporarily, resolve_name

# Reading or setting an attribute runs no op and saves nothing.
_ACCESSORS = frozenset({"__get__", "__set__", "__delete__"})
# Nor do these, whatever they are asked of.
_QUESTIONS = frozenset(
    "dim ndimension size stride numel nelement storage_offset element_size data_ptr get_device is_floating_point"
    " is_complex is_signed is_contiguous untyped_storage __len__ __hash__ __format__ _set_grad_enabled".split()
)
_DATA: Any = vars(torch._C.TensorBase)["data"].__get__

PLAIN = frozenset({torch.Tensor, torch.nn.Parameter, type(None), bool, int, float, torch.Size})
"""Types whose objects may be asked for attributes without further ado."""

# What each function is called; None for what is no op, `_IS_DATA` for what reads `.data`.
_NAMES: dict[Any, str | None] = {}
_IS_DATA = "data"
_UNMET = "unmet"
_tracing_state = torch._C._get_tracing_state


class Ops(Protocol):
    """Runs the ops that a mode hands on."""

    def run(
        self, name: str, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any] | None = None, plain: bool = False
    ) -> Any:
        """Run one op."""

    def expose(self, tensor: Tensor) -> None:
        """Take note of a tensor that `.data` gave."""


class Mode(TorchFunctionMode):
    """Hands each op to a recorder."""

    def __init__(self, recorder: Ops) -> None:
        super().__init__()
        self._recorder = recorder

    def __torch_function__(
        self, func: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        name = _NAMES.get(func, _UNMET)
        if name is _UNMET:
            name = _NAMES[func] = _qualified(func)
        if name is None:  # most calls only ask for an attribute
            return func(*args, **kwargs) if kwargs else func(*args)
        if name is _IS_DATA:
            result = func(*args)
            if isinstance(result, Tensor):
                self._recorder.expose(result)
            return result
        if _tracing_state() is not None or _is_exported():
            return func(*args, **kwargs) if kwargs else func(*args)
        return self._recorder.run(name, func, args, kwargs, not types or PLAIN.issuperset(types))

    def passed_by(self, call: Callable[[], Any]) -> Any:
        """Run what makes no history and writes nothing, without being asked about it."""
        if _get_current_function_mode() is not self:
            return call()
        with _pop_mode_temporarily():
            return call()


def _qualified(func: Any) -> str | None:
    if func == _DATA:
        return _IS_DATA
    name = getattr(func, "__name__", "")
    if name in _ACCESSORS or name in _QUESTIONS:
        return None
    # An overload of `torch.ops.aten.mul_` has a name of its own, `Tensor` or `default`, that tells nothing.
    qualified: str = resolve_name(getattr(func, "overloadpacket", func)) or name or "an op"
    if qualified.startswith("profiler."):
        return None
    owner, _, last = qualified.rpartition(".")
    # `torch.spmm` is the same function as `torch.mm`.
    return f"{owner}.{name}" if owner == "torch" and last != name and hasattr(torch, name) else qualified


def _is_exported() -> bool:
    """Whether the op is only being noted down by `torch.export`; `torch.jit.trace` has a state of its own."""
    return "torch._dynamo" in sys.modules and torch.compiler.is_compiling()
