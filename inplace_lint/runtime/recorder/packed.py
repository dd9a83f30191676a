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

import torch
import torch.utils.checkpoint
from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils.checkpoint import CheckpointFunction
from torch.utils.weak import WeakIdKeyDictionary

from inplace_lint.runtime.recorder.engine import replace
from inplace_lint.runtime.recorder.records import Keep
from inplace_lint.runtime.recorder.regions import Region, Replay, digest
from inplace_lint.runtime.recorder.saves import address, part, same_values, tensors_in

Pack = Callable[[Tensor], Any]
Unpack = Callable[[Any], Any]

PACKED = "packed by a hook"
"""In place of the attribute of a node, for what hooks keep."""

_REGION = "_inplace_lint_region"
_CHECKPOINTED: Any = getattr(torch.utils.checkpoint, "_checkpoint_hook", ())
_RECOMPUTING: Any = getattr(torch.utils.checkpoint, "_recomputation_hook", ())


class Packer(Protocol):
    """Remembers what is packed, and is told if it was overwritten when it is read."""

    def packed(self, tensor: Tensor) -> Keep:
        """A hook keeps the memory of a tensor, perhaps."""

    def recording(self) -> Any:
        """A context in which ops are recorded, in whatever thread."""

    def enter(self, region: Region) -> None:
        """The function of a checkpoint begins."""

    def leave(self, region: Region) -> None:
        """It has ended."""

    def unpacked(self, keep: Keep) -> None:
        """A backward pass reads a tensor whose values are no longer those that were packed."""


@dataclass(frozen=True, slots=True, eq=False)
class _Packed:
    """What a hook made of a tensor.

    Args:
        value: that.
        tensor: what in it has the same memory.
        keep: its record.
        pin: while it is there, no other memory gets the address.
    """

    value: Any
    tensor: Tensor | None
    keep: Keep
    pin: StorageWeakRef


@contextmanager
def watched_hooks(packer: Packer) -> Iterator[None]:
    """Lead what hooks pack and unpack through `packer`; hooks that are made meanwhile."""
    watching = _Watching(packer)
    make, enter, leave = (getattr(saved_tensors_hooks, name) for name in ("__init__", "__enter__", "__exit__"))

    @wraps(make)
    def make_watched(self: saved_tensors_hooks, pack: Pack, unpack: Unpack) -> None:
        if isinstance(self, _CHECKPOINTED):
            region = self.__dict__[_REGION] = Region()
            make(self, *watching.checkpointed(region, pack, unpack))
        elif isinstance(self, _RECOMPUTING):
            make(self, *watching.recomputed(pack, unpack))
        else:
            make(self, *watching.packed(pack, unpack))

    @wraps(enter)
    def enter_watched(self: saved_tensors_hooks) -> Any:
        if _REGION in self.__dict__ and watching.active:
            packer.enter(self.__dict__[_REGION])
        return enter(self)

    @wraps(leave)
    def leave_watched(self: saved_tensors_hooks, *args: object) -> Any:
        if _REGION in self.__dict__:
            packer.leave(self.__dict__[_REGION])
        return leave(self, *args)

    reentrant = CheckpointFunction.forward

    def forward(ctx: Any, function: Callable[..., Any], *args: Any) -> Any:
        return reentrant(ctx, watching.again(function), *args)

    with ExitStack() as stack:
        replace(stack, CheckpointFunction, "forward", staticmethod(forward))
        for name, method in (("__init__", make_watched), ("__enter__", enter_watched), ("__exit__", leave_watched)):
            replace(stack, saved_tensors_hooks, name, method)
        try:
            yield
        finally:
            watching.active = False


class _Watching:
    """Makes hooks that do what others do, and tell of it."""

    def __init__(self, packer: Packer) -> None:
        self.active = True
        self._packer = packer
        self._replays: list[Replay] = []
        # What a checkpoint computes again leaves the graph that it was packed for.
        self._recomputed: Any = WeakIdKeyDictionary()

    def packed(self, pack: Pack, unpack: Unpack) -> tuple[Pack, Unpack]:
        """Of hooks that may do whatever they like."""

        def pack_watched(tensor: Tensor) -> Any:
            value = pack(tensor)
            if not self.active or not address(tensor):
                return value
            keep = self._packer.packed(tensor)
            return _Packed(value, _same_memory(tensor, value), keep, StorageWeakRef(tensor.untyped_storage()))

        def unpack_watched(given: Any) -> Any:
            packed = given if isinstance(given, _Packed) else None
            with self._recording():
                value = unpack(given if packed is None else packed.value)
            # A hook may also keep the memory elsewhere, and hand out a key to it.
            if packed is not None and self._reads():
                self._check(packed.keep, _at(packed.keep, value) if packed.tensor is None else packed.tensor)
            return value

        return pack_watched, unpack_watched

    def checkpointed(self, region: Region, pack: Pack, unpack: Unpack) -> tuple[Pack, Unpack]:
        """Of a checkpoint in forward, which keeps nothing, and of its backward, which computes all of it anew."""

        def pack_watched(tensor: Tensor) -> Any:
            if self.active:
                region.digests.append(digest(tensor))
            return pack(tensor)

        def unpack_watched(given: Any) -> Any:
            self._replays.append(Replay(region))
            try:
                with self._recording():
                    value = unpack(given)
            finally:
                self._replays.pop()
            if isinstance(value, Tensor) and value in self._recomputed and self._reads():
                self._check(self._recomputed[value], value)
            return value

        return pack_watched, unpack_watched

    def recomputed(self, pack: Pack, unpack: Unpack) -> tuple[Pack, Unpack]:
        """Of a checkpoint that computes again."""

        def pack_watched(tensor: Tensor) -> Any:
            if not self.active:
                return pack(tensor)
            culprit = self._replays[-1].culprit(tensor) if self._replays else None
            if culprit is not None and self._reads():
                self._packer.unpacked(culprit)
            keep = self._packer.packed(tensor)
            value = pack(tensor)
            if isinstance(value, Tensor):
                self._recomputed[value] = keep
            return value

        return pack_watched, unpack

    def again(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Of a reentrant checkpoint, the function that it runs in forward, and then in backward."""
        region = Region()
        ran = False

        def run(*args: Any) -> Any:
            nonlocal ran
            if not self.active:
                return function(*args)
            if ran:
                result = function(*args)
                replay = Replay(region)
                for culprit in filter(None, map(replay.culprit, tensors_in((result,)))):
                    self._packer.unpacked(culprit)
                return result
            ran = True
            self._packer.enter(region)
            try:
                result = function(*args)
            finally:
                self._packer.leave(region)
            region.digests += map(digest, tensors_in((result,)))
            return result

        return run

    def _recording(self) -> Any:
        return self._packer.recording() if self.active else nullcontext()

    def _reads(self) -> bool:
        """Whether a backward pass reads; others may only look."""
        return self.active and torch._C._current_graph_task_id() != -1

    def _check(self, keep: Keep, tensor: Tensor | None) -> None:
        if keep.original is None or tensor is None:
            return
        with torch._C.DisableTorchFunction():
            now = part(tensor, keep.layout)
            changed = now is not None and not same_values(now, keep.original)
        if changed:
            self._packer.unpacked(keep)


def _same_memory(tensor: Tensor, value: Any) -> Tensor | None:
    """What in a packed value has the memory of the tensor."""
    with torch._C.DisableTorchFunctionSubclass():
        at = address(tensor)
        return next((each for each in tensors_in((value,)) if address(each) == at), None)


def _at(keep: Keep, value: Any) -> Tensor | None:
    with torch._C.DisableTorchFunctionSubclass():
        return value if isinstance(value, Tensor) and address(value) == keep.address else None
