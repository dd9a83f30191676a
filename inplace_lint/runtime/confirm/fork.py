"""The counterfactual: the same run, with chosen writes out of place.

At such a write memory forks. The op writes a copy, and the old memory stays as it was; a later read
gets the one or the other, as if the source line had been written out of place.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.utils import _pytree as pytree

from inplace_lint.runtime.confirm.extent import dense, extent, overlaps, view_of
from inplace_lint.runtime.confirm.key import Key
from inplace_lint.runtime.recorder.saves import address
from inplace_lint.source.place import Site


@dataclass(frozen=True, slots=True)
class Apart:
    """How to put a write out of place.

    Args:
        written: positions of the written tensors among the operands.
        meant: the write is a statement of its own, so later readers want what it wrote.
        stale: places where the old value was wanted nevertheless.
        by_caller: the caller of the function that writes wants the old value.
        alone: nobody but the tensor that was written shows what was written.
        by_backward: a backward pass that runs ops again wants the old value.
        visible: let autograd see the op, also if it is hidden from it.
        unrecorded: leave it in place, but let autograd not record it.
        once: do not run it again during a backward pass, as checkpointing does.
        inside: it stands in a custom function, which is given copies of its arguments instead;
            if `visible`, what the function returns takes the place of what it wrote.
    """

    written: frozenset[int]
    meant: bool = False
    stale: frozenset[Site] = frozenset()
    by_caller: bool = False
    alone: bool = False
    by_backward: bool = False
    visible: bool = False
    unrecorded: bool = False
    once: bool = False
    inside: bool = False


class Fork:
    """Puts writes out of place while a program runs.

    One memory may be copied several times: each copy belongs to those who held the memory at that
    write. Who reads the old value later begins behind it, and a write of his makes a copy of his own.

    Attributes:
        changed: the writes that were really put out of place.
    """

    def __init__(self, writes: Mapping[Key, Apart]) -> None:
        self.changed: set[Key] = set()
        self._passes = 0
        self._in_backward = 0  # the number of the backward pass that is running
        self._writes = writes
        self._copies: dict[int, list[_Copy]] = {}
        # By identity: a tensor on copied memory, and how many of its copies it stands behind.
        self._behind: dict[int, tuple[Tensor, int]] = {}

    @contextmanager
    def backward(self) -> Iterator[None]:
        """A backward pass runs inside."""
        self._passes += 1
        before, self._in_backward = self._in_backward, self._passes
        try:
            yield
        finally:
            self._in_backward = before

    def operands(self, key: Key | None, leaves: Sequence[Any]) -> list[Any]:
        """What a call receives in place of its operands; without a call, what the program returns."""
        fresh = self._fresh(key, leaves) if key is not None and self._copies else ()
        given = [
            self._current(leaf, key, i in fresh) if isinstance(leaf, Tensor) else leaf for i, leaf in enumerate(leaves)
        ]
        apart = self._writes.get(key) if key is not None else None
        if key is None or apart is None or apart.unrecorded or apart.inside or apart.once:
            return given
        for position in apart.written:
            tensor = given[position]
            if isinstance(tensor, Tensor):
                given[position] = self._copy(tensor, apart, key).written
                self.changed.add(key)
        return given

    def run(self, key: Key, func: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """Run a call on what `operands` gave."""
        leaves, structure = pytree.tree_flatten((tuple(args), kwargs))
        result = self._run(key, func, args, kwargs)
        if self._copies:
            self._follow(result, [leaf for leaf in leaves if isinstance(leaf, Tensor)])
        for copy in self._all():
            if copy.again is None and any(copy.written is leaf for leaf in leaves):
                copy.again = _again(func, leaves, structure, copy.written)
        return result

    def apply(self, site: Site | None, call: Callable[..., Any], args: Sequence[Any]) -> Any:
        """Run a custom function that is called at a site."""
        inside = [(key, apart) for key, apart in self._writes.items() if apart.inside and site in key.stack[-1:]]
        if not inside:
            return call(*args)
        result = call(*(arg.clone() if isinstance(arg, Tensor) else arg for arg in args))
        self.changed.update(key for key, _ in inside)
        ((key, apart), *_) = inside
        tensors = [arg for arg in args if isinstance(arg, Tensor)]
        if apart.visible and tensors and isinstance(result, Tensor):
            copies = self._copies.setdefault(address(tensors[0]), [])
            copies.append(_Copy(tensors[0], tensors[0], result, result, Apart(frozenset(), meant=True), key))
        return result

    def _run(self, key: Key, func: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        apart = self._writes.get(key)
        if apart is None:
            return func(*args, **kwargs)
        if apart.once and self._in_backward:
            self.changed.add(key)
            return args[0]
        if isinstance(out := kwargs.get("out"), Tensor):
            result = func(*args, **{name: value for name, value in kwargs.items() if name != "out"})
            for copy in self._all():
                if copy.written is out and isinstance(result, Tensor):
                    copy.written = copy.memory = result
            return result
        if apart.unrecorded:
            self.changed.add(key)
        recorded = (apart.visible and not apart.inside) or (torch.is_grad_enabled() and not apart.unrecorded)
        with torch.set_grad_enabled(recorded):
            return func(*args, **kwargs)

    def _all(self) -> list[_Copy]:
        return [copy for copies in self._copies.values() for copy in copies]

    def _copy(self, tensor: Tensor, apart: Apart, key: Key) -> _Copy:
        copies = self._copies.setdefault(address(tensor), [])
        if self._place(tensor) > 0 or copies:
            self._behind[id(tensor)] = (tensor, len(copies))
        copies.append(_Copy.of(tensor, apart, key))
        copies[-1].made_in = self._in_backward
        return copies[-1]

    def _place(self, tensor: Tensor) -> int:
        return self._behind[id(tensor)][1] if id(tensor) in self._behind else 0

    def _fresh(self, key: Key, leaves: Sequence[Any]) -> set[int]:
        """Operands of which a call wants the newest value, whatever else it reads."""
        positions = [i for i, leaf in enumerate(leaves) if isinstance(leaf, Tensor)]
        fresh = {positions[0]} if positions and _overwrites(key.op) else set()
        by_memory: dict[int, list[int]] = {}
        for i in positions:
            if address(leaves[i]) in self._copies:
                by_memory.setdefault(address(leaves[i]), []).append(i)
        for some in by_memory.values():
            copies, place = self._copies[address(leaves[some[0]])], self._place(leaves[some[0]])
            if len(some) > 1 and place < len(copies):
                fresh.update(copies[place].not_stale(key, leaves, some))
        return fresh

    def _current(self, tensor: Tensor, reader: Key | None, fresh: bool) -> Tensor:
        """What a reader wants of a tensor; one who wants the old value stands behind the copies from now on."""
        while True:
            copies, place = self._copies.get(address(tensor), []), self._place(tensor)
            if place >= len(copies):
                return tensor
            copy = copies[place]
            if copy.apart.by_backward and self._in_backward not in (0, copy.made_in):
                return tensor
            if not (fresh and copy.apart.meant) and not copy.is_for(tensor, reader):
                return tensor
            tensor = copy.twin(tensor)

    def _follow(self, result: Any, given: Sequence[Tensor]) -> None:
        """Views of what was read as it was stand where that stood, or behind all copies if it was refused them."""
        for leaf in pytree.tree_leaves(result):
            if not isinstance(leaf, Tensor) or not (copies := self._copies.get(address(leaf))):
                continue
            if any(leaf is operand for operand in given):
                continue
            if any(address(leaf) == address(operand) for operand in given):
                self._behind[id(leaf)] = (leaf, len(copies))


def _overwrites(op: str) -> bool:
    """Whether an op writes its first operand, by its name."""
    name = op.rpartition(".")[2]
    return name == "__setitem__" or (name.endswith("_") and not name.startswith("__"))


def _again(
    func: Callable[..., Any], leaves: list[Any], structure: pytree.TreeSpec, written: Tensor
) -> Callable[[Tensor], Any]:
    """The op once more, on another tensor in place of the written one."""

    def run(tensor: Tensor) -> Any:
        args, kwargs = pytree.tree_unflatten([tensor if leaf is written else leaf for leaf in leaves], structure)
        return func(*args, **kwargs)

    return run


@dataclass(eq=False)
class _Copy:
    """Memory that was copied at a write.

    `target` is the tensor that the op should have written, and `base` the whole of its memory;
    `written` and `memory` are their copies. `made_in` is the backward pass that made them, or 0.
    """

    target: Tensor
    base: Tensor
    written: Tensor
    memory: Tensor
    apart: Apart
    writer: Key
    again: Callable[[Tensor], Any] | None = None
    made_in: int = 0
    _related: dict[int, tuple[Tensor, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, target: Tensor, apart: Apart, writer: Key) -> _Copy:
        base = target if target._base is None else target._base
        if not dense(base) or overlaps(target):
            base = target
        with torch.enable_grad():
            memory = base.clone()
            written = memory if base is target else view_of(memory, target, base)
        return cls(target, base, written, memory, apart, writer)

    def is_for(self, tensor: Tensor, reader: Key | None) -> bool:
        """Whether a reader of the old memory wants the copy."""
        if self.apart.by_caller and self.writer.stack and (reader is None or not self._is_inside(reader)):
            return False
        if self.apart.alone:
            return tensor is self.target
        if self.apart.meant:
            return reader is None or not self._is_stale(reader)
        return extent(tensor) != extent(self.target)

    def not_stale(self, reader: Key, leaves: Sequence[Any], positions: Sequence[int]) -> Sequence[int]:
        """Of several operands on the memory, those that stand for what was written: only one is the stale name."""
        if not self._is_stale(reader):
            return ()
        written = [i for i in positions if leaves[i] is self.target]
        if len(written) < len(positions):
            return written
        starts = reader.site is not None and any(is_about(reader.site, stale) for stale in self.apart.stale)
        return positions[1:] if starts else positions[:-1]

    def _is_inside(self, reader: Key) -> bool:
        """Whether the reader is in the function that wrote, or in what that calls."""
        calls = self.writer.stack
        return reader.stack[: len(calls)] == calls

    def _is_stale(self, reader: Key) -> bool:
        """Whether the reader stands where an old value was wanted; the way to the write is no such place."""
        ours, theirs = [*self.writer.stack, self.writer.site], [*reader.stack, reader.site]
        while len(theirs) > 1 and ours and ours[0] == theirs[0]:
            ours, theirs = ours[1:], theirs[1:]
        return any(covers(stale, site) for stale in self.apart.stale for site in theirs if site)

    def twin(self, tensor: Tensor) -> Tensor:
        """The tensor that covers in the copy what this one covers in the old memory."""
        if tensor is self.target:
            return self.written
        with torch.enable_grad():
            if tensor is self.base or tensor._base is self.base:
                return view_of(self.memory, tensor, self.base)
            known = self._related.get(id(tensor))
            if known is None or known[1] != self.memory._version:
                known = self._related[id(tensor)] = (self._with_own_history(tensor), self.memory._version)
            return known[0]

    def _with_own_history(self, tensor: Tensor) -> Tensor:
        """For a tensor with another history, such as the owner of `.data`: its own, with the new values."""
        twin = tensor.clone()
        if self.apart.visible and self.again is not None and dense(tensor):
            self.again(view_of(twin, self.target, tensor))
        elif dense(self.base):
            twin.data.copy_(view_of(self.memory.detach(), tensor, self.base))
        return twin


def covers(place: Site, site: Site) -> bool:
    """Whether a place of a finding is, or holds, the site of a call."""
    ours, theirs = place.span, site.span
    begins = (ours.row, ours.column) <= (theirs.row, theirs.column)
    ends = (theirs.end_row, theirs.end_column) <= (ours.end_row, ours.end_column)
    within = (theirs.row, theirs.column) <= (ours.row, ours.column) <= (theirs.end_row, theirs.end_column)
    return same_file(place.path, site.path) and ((begins and ends) or within)


def is_about(a: Site, b: Site) -> bool:
    """Whether two sites begin at one place."""
    return (a.span.row, a.span.column) == (b.span.row, b.span.column) and same_file(a.path, b.path)


def same_file(a: str, b: str) -> bool:
    """Whether two paths name one file."""
    return a == b or os.path.realpath(a) == os.path.realpath(b)
