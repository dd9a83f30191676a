"""The calls of PyTorch in a run: which could write an operand, and, in a second run, do."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode, resolve_name
from torch.utils._pytree import tree_leaves

from inplace_lint.runtime.memory.advise.forms import in_place, operands
from inplace_lint.runtime.memory.advise.lives import GIVEN, Lives
from inplace_lint.runtime.recorder.frames import Place, here
from inplace_lint.source.place import Site

_SHARES_MEMORY_UNSEEN = ("numpy", "__array__", "__dlpack__", "data_ptr")


@dataclass(frozen=True, slots=True)
class Spelled:
    """A call as it stands in the source: all that it runs would be changed by one edit.

    Args:
        site: where it stands.
        op: what it calls.
        function: the function that PyTorch runs, `torch.nn.functional.relu` in `nn.ReLU`.
        operand: the operand that its in-place form would write.
        alone: no other operand is a tensor.
        installed: it belongs to a library.
    """

    site: Site | None
    op: str
    function: str
    operand: int
    alone: bool
    installed: bool


@dataclass(slots=True)
class Ran:
    """One run of such a call.

    Args:
        operand: number of the storage that it would write; None if that cannot hold the result.
        result: number of the storage of the result.
        last: the last step of the call.
    """

    operand: int | None
    result: int
    last: int


@dataclass(slots=True)
class Noted:
    """What is known of the calls of a run.

    Args:
        ran: by call of the source, how it ran; only what has an in-place form.
        exposed: storages that are read where PyTorch does not see it.
    """

    ran: dict[Spelled, list[Ran]] = field(default_factory=dict)
    exposed: set[int] = field(default_factory=set)


class Calls(TorchFunctionMode):
    """Notes the calls inside `with calls:`, and runs some of them in place.

    Args:
        lives: follows the storages.
        chosen: what to run in place.
    """

    def __init__(self, lives: Lives, chosen: Collection[Spelled] = ()) -> None:
        super().__init__()
        self.noted = Noted()
        self._lives = lives
        self._chosen = frozenset(chosen)
        self._outside = len(here().frames)

    def __torch_function__(
        self, func: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if name in ("__get__", "__set__", "backward"):
            return func(*args, **kwargs)
        if name in _SHARES_MEMORY_UNSEEN:
            self.noted.exposed |= {n for n in map(self._number, _tensors((args, kwargs))) if n is not None}
        place = self._place()
        function = resolve_name(func) or name
        op = place.op(function).rpartition(".")[2]
        installed = bool(place.frames) and place.frames[0].is_installed
        alone = not any(isinstance(each, Tensor) for each in args[1:])
        forms = [Spelled(place.site, op, function, each, alone, installed) for each in operands(func, args, kwargs)]
        before, self._lives.site = self._lives.site, place.site
        try:
            for form in forms:
                if form in self._chosen:
                    return in_place(func, args, kwargs, form.operand)
            given = [(form, self._number(args[form.operand])) for form in forms]
            result = func(*args, **kwargs)
            if isinstance(result, Tensor):
                self._note(given, args, result)
        finally:
            self._lives.site = before
        return result

    def _place(self) -> Place:
        """Where the program is, without the frames of whoever called us."""
        now = here()
        return replace(now, frames=now.frames[: len(now.frames) - self._outside])

    def _number(self, tensor: Tensor) -> int | None:
        return self._lives.number(tensor, "given", GIVEN)

    def _note(self, given: Sequence[tuple[Spelled, int | None]], args: Sequence[Any], result: Tensor) -> None:
        made, last = self._number(result), self._lives.step - 1
        if made is None:
            return
        among = [self._number(each) for each in _tensors(args)]
        for form, number in given:
            operand = args[form.operand]
            fits = number is not None and number != made and among.count(number) == 1 and _holds(operand, result)
            self.noted.ran.setdefault(form, []).append(Ran(number if fits else None, made, last))


def _holds(operand: Tensor, result: Tensor) -> bool:
    """Whether the result can be written over an operand, as far as these two tell."""
    whole = operand.numel() * operand.element_size() == operand.untyped_storage().nbytes()
    alike = (operand.shape, operand.dtype, operand.device) == (result.shape, result.dtype, result.device)
    laid_out = operand.stride() == result.stride()
    # A view would have its history remade; a leaf cannot be written; under `no_grad` the old history would stay.
    history = operand.requires_grad and (operand.is_leaf or operand._is_view() or not torch.is_grad_enabled())
    return whole and alike and laid_out and not history


def _tensors(values: Any) -> Iterator[Tensor]:
    return (leaf for leaf in tree_leaves(values) if isinstance(leaf, Tensor))
