"""Tensors that hooks have packed, which PyTorch's version check passes over: they are checked here.

Under `saved_tensors_hooks`, and in what a checkpoint computes again, autograd hands the saved tensor
to Python and never compares its version. Hooks may keep the very memory, as `save_on_cpu` does with
a tensor of the CPU; a write to it makes the gradient wrong, and nobody raises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from functools import wraps
from typing import Any, Protocol
from unittest.mock import patch

import torch
import torch.utils.checkpoint
from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks
from torch.utils.weak import WeakIdKeyDictionary

from inplace_lint.runtime.recorder.records import Keep
from inplace_lint.runtime.recorder.saves import address, part, same_values, tensors_in

PACKED = "packed by a hook"
"""In place of the attribute of a node, for what hooks keep."""

_RECOMPUTING = getattr(torch.utils.checkpoint, "_recomputation_hook", None)


class Packer(Protocol):
    """Remembers what is packed, and is told if it was overwritten when it is read."""

    def packed(self, tensor: Tensor) -> Keep:
        """A hook keeps the memory of a tensor."""

    def recording(self) -> Any:
        """A context in which ops are recorded, in whatever thread."""

    def unpacked(self, keep: Keep) -> None:
        """A backward pass reads a tensor whose values are no longer those that were packed."""


@dataclass(frozen=True, slots=True, eq=False)
class _Packed:
    """What a hook made of a tensor, the tensor in it that has the same memory, and its record."""

    value: Any
    tensor: Tensor
    keep: Keep


@contextmanager
def watched_hooks(packer: Packer) -> Iterator[None]:
    """Lead what hooks pack and unpack through `packer`; hooks that are made meanwhile."""
    make = saved_tensors_hooks.__init__
    # What a checkpoint computes again leaves the graph that it was packed for.
    recomputed: Any = WeakIdKeyDictionary()
    active = True

    @wraps(make)
    def make_watched(self: saved_tensors_hooks, pack: Callable[[Tensor], Any], unpack: Callable[[Any], Any]) -> None:
        recomputes = _RECOMPUTING is not None and isinstance(self, _RECOMPUTING)

        def pack_watched(tensor: Tensor) -> Any:
            value = pack(tensor)
            same = _same_memory(tensor, value) if active else None
            if same is None:
                return value
            keep = packer.packed(tensor)
            if recomputes:
                recomputed[same] = keep
                return value
            return _Packed(value, same, keep)

        def unpack_watched(given: Any) -> Any:
            with packer.recording() if active else nullcontext():
                value = unpack(given.value if isinstance(given, _Packed) else given)
            if active and torch._C._current_graph_task_id() != -1:
                if isinstance(given, _Packed):
                    _check(packer, given.keep, given.tensor)
                elif isinstance(value, Tensor) and value in recomputed:
                    _check(packer, recomputed[value], value)
            return value

        make(self, pack_watched, unpack_watched)

    with ExitStack() as stack:
        stack.enter_context(patch.object(saved_tensors_hooks, "__init__", make_watched))
        try:
            yield
        finally:
            active = False


def _same_memory(tensor: Tensor, value: Any) -> Tensor | None:
    """What in a packed value has the memory of the tensor."""
    with torch._C.DisableTorchFunctionSubclass():
        at = address(tensor)
        return next((each for each in tensors_in((value,)) if at and address(each) == at), None)


def _check(packer: Packer, keep: Keep, tensor: Tensor) -> None:
    if keep.original is None:
        return
    with torch._C.DisableTorchFunction():
        now = part(tensor, keep.layout)
        changed = now is not None and not same_values(now, keep.original)
    if changed:
        packer.unpacked(keep)
