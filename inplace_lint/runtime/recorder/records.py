"""What the recorder remembers while the program runs: plain data, no tensors."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor

from inplace_lint.runtime.recorder.frames import Place

_reference = weakref.ref
_CROWD = 4  # records of one address among which to look for those that are gone

# Writes to one saved tensor that are remembered; the first tells the story.
_MOST_CHANGES = 8


# One object for each layout, see `frames.Place`.
_LAYOUTS: dict[Any, Layout] = {}
_MOST_LAYOUTS = 20_000


class Layout(NamedTuple):
    """Which elements of its memory a tensor covers, and of what type."""

    type: str
    offset: int
    size: tuple[int, ...]
    stride: tuple[int, ...]
    dtype: torch.dtype

    @classmethod
    def of(cls, tensor: Tensor) -> Layout:
        """The layout of a tensor; one without strides gets none."""
        if tensor.layout is not torch.strided:
            return cls(tensor.type(), 0, tensor.shape, (), tensor.dtype)
        key: Any = tensor.storage_offset(), tensor.shape, tensor.stride(), tensor.dtype, tensor.device
        found = _LAYOUTS.get(key)
        if found is None:
            if len(_LAYOUTS) >= _MOST_LAYOUTS:
                _LAYOUTS.clear()
            found = _LAYOUTS[key] = cls(tensor.type(), *key[:-1])  # PyTorch takes long to make the type's name
        return found

    @property
    def described(self) -> str:
        """What PyTorch's messages call such a tensor."""
        return f"[{self.type} {list(self.size)}]"


@dataclass(slots=True, eq=False)
class Change:
    """An op modified memory.

    Args:
        op: qualified name (`torch.Tensor.mul_`), or what the user called (`optimizer.step`, `+=`).
        name: the op itself, whatever the user called.
        first: the tensor was its first operand.
        address: identifies the memory.
        before: version counter of the tensor that was written, before the op.
        after: the same after it.
        time: number of the op in the recording.
    """

    op: str
    name: str
    place: Place
    first: bool
    address: int
    before: int
    after: int
    time: int
    grad_mode: bool

    @property
    def text(self) -> str:
        """How the source calls the tensor; empty if it gives no name."""
        return self.place.written(self.name, self.first)


class _Referable:
    """What weak references may point to, though it has slots."""

    __slots__ = ("__weakref__",)


@dataclass(slots=True, eq=False)
class Keep(_Referable):
    """An op kept a tensor for its backward.

    Args:
        op: qualified name of the op; empty if it ran before the recording began.
        node: autograd's name for it (`SigmoidBackward0`).
        attribute: where the node keeps it.
        version: of the tensor when it was kept.
        is_result: it is a result of the op.
        leaf: it is a leaf that requires grad, or a view of one.
        changes: writes to the memory since then, through this counter or another.
        unseen: those among them that changed its values, and that this counter may have missed.
        original: its values before the first of these.
    """

    op: str
    node: str
    place: Place
    attribute: tuple[str, int]
    address: int
    version: int
    layout: Layout
    is_result: bool
    leaf: bool
    time: int
    changes: Sequence[Change] = ()
    unseen: Sequence[Change] = ()
    original: Tensor | None = None

    @property
    def is_used(self) -> bool:
        """Whether its backward needs the values, as far as is known: pooling needs the shape alone."""
        statistics = self.attribute[0].endswith(("_running_mean", "_running_var"))
        node = self.node.rpartition(".")[2].lower()  # of what a hook has packed, the op is known
        return not statistics and "pool" not in node and not node.startswith("gather")

    def changed(self, change: Change) -> None:
        """Remember a write."""
        if len(self.changes) < _MOST_CHANGES:
            self.changes = (*self.changes, change)

    def culprit(self) -> Change | None:
        """The first write that moved the saved version on; None if nobody saw one."""
        return next((change for change in self.changes if change.before == self.version), None) or next(
            iter(self.changes), None
        )


class LiveKeeps:
    """The tensors kept by graphs that are alive, by the address of their memory.

    The graph's nodes own the records; they vanish with it. What is left of them here goes when more is kept of the same
    memory, which is soon used anew: what grows lets Python's garbage collector run again and again.
    """

    def __init__(self) -> None:
        self._by_address: dict[int, list[weakref.ref[Keep]]] = {}
        self._sweep_at = 4096

    def add(self, keep: Keep) -> None:
        """Begin to follow a kept tensor."""
        at = keep.address
        found = self._by_address.get(at)
        if found is None:
            self._by_address[at] = [_reference(keep)]
            if len(self._by_address) > self._sweep_at:
                self._sweep()
            return
        count = len(found)
        if count >= _CROWD and not count & (count - 1):  # a power of two, so that many living ones cost little
            found = self._by_address[at] = [each for each in found if each() is not None]
        found.append(_reference(keep))

    def at(self, address: int) -> list[Keep]:
        """What is kept of the memory at an address."""
        found = self._by_address.get(address)
        if found is None:
            return []
        return [keep for reference in found if (keep := reference()) is not None]

    def __contains__(self, address: int) -> bool:
        found = self._by_address.get(address)
        return found is not None and any(reference() is not None for reference in found)

    def __iter__(self) -> Iterator[Keep]:
        for address in list(self._by_address):
            yield from self.at(address)

    def _sweep(self) -> None:
        for address, references in list(self._by_address.items()):
            if all(each() is None for each in references):
                del self._by_address[address]
        self._sweep_at = 2 * len(self._by_address) + 4096
