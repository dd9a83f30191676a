"""Runs beside real code, and remembers which op saved what and which op wrote it.

The recorder sees each op that Python calls (a `TorchFunctionMode`), reads version counters before
and after it, and reads from the graph what autograd kept. It installs no hooks on saved tensors and
no dispatch mode: both would change PyTorch's own check of versions. It holds no tensor but copies of
what is overwritten by way of `.data`: a record belongs to its graph node, and goes with it.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.overrides import _get_current_function_mode, _get_current_function_mode_stack, _pop_mode_temporarily

from inplace_lint.runtime.recorder.engine import Call, watched, watched_optimizers, watched_threads
from inplace_lint.runtime.recorder.frames import NOWHERE, Place, here
from inplace_lint.runtime.recorder.mode import PLAIN, Mode
from inplace_lint.runtime.recorder.packed import PACKED, watched_hooks
from inplace_lint.runtime.recorder.records import Change, Keep, Layout, LiveKeeps
from inplace_lint.runtime.recorder.regions import Region
from inplace_lint.runtime.recorder.saves import (
    CHECKPOINT,
    CHECKPOINTED,
    READ,
    WRAPPED,
    Kept,
    Node,
    address,
    copied,
    hidden_saves,
    histories,
    kept_by,
    kept_under,
    may_write,
    of_leaf,
    part,
    root,
    same_values,
    tensors_in,
    version,
    versions,
)

# The node of a leaf: it keeps nothing, and leads nowhere.
_Accumulate: type = type(torch.ones(1, requires_grad=True).expand(2).grad_fn.next_functions[0][0])  # type: ignore[union-attr]


_sequence_number = torch._C._autograd._get_sequence_nr


class Listener:
    """Is told of what happens, as it happens; does nothing by itself."""

    def changed(self, change: Change, tensor: Tensor) -> None:
        """An op modified a tensor."""

    def kept(self, keep: Keep, tensor: Tensor) -> None:
        """Autograd kept a tensor for a backward."""

    def refused(self, error: RuntimeError, op: str, place: Place, operands: Sequence[Tensor]) -> None:
        """An op raised."""

    def backward(self, roots: Sequence[Node], place: Place) -> None:
        """A backward pass begins."""

    def backward_failed(self, error: RuntimeError, roots: Sequence[Node], place: Place, whole: bool) -> None:
        """A backward pass raised; `whole` tells that it was not limited to some inputs."""

    def unpacked(self, keep: Keep, change: Change, place: Place) -> None:
        """A backward pass reads what a hook has packed, and `change` has overwritten: PyTorch does not look."""


class Recorder:
    """Records what runs inside `with recorder:`, in this thread and in backward passes.

    Attributes:
        live: what the graphs that are alive keep, each with the writes to it since.
        suspects: those of them whose values were changed by way of `.data`, or that hooks have packed.
        time: how many ops have run.
    """

    def __init__(self, listeners: Iterable[Listener] = ()) -> None:
        self.live = LiveKeeps()
        self.suspects: weakref.WeakSet[Keep] = weakref.WeakSet()
        self.time = 0
        self._listeners = tuple(listeners)
        # A call for each op costs, so only those are called that listen.
        self._of_changes = [each.changed for each in self._listeners if type(each).changed is not Listener.changed]
        self._of_keeps = [each.kept for each in self._listeners if type(each).kept is not Listener.kept]
        self._mode = Mode(self)
        self._active: list[ExitStack] = []
        # Memory with kept tensors that no version check watches: reached by way of `.data`, or packed by hooks.
        self._exposed: set[int] = set()
        self._regions: list[Region] = []
        self._key = f"inplace_lint.{id(self)}"
        self._running = _Running()
        self._op = ""
        self._backward = NOWHERE

    def __enter__(self) -> Recorder:
        with ExitStack() as stack:
            if not self._active:  # once is enough, as in a function that calls itself
                stack.enter_context(watched(self))
                stack.enter_context(watched_threads(self._thread))
                stack.enter_context(watched_optimizers(self._update, self._mode.passed_by))
                stack.enter_context(watched_hooks(self))
                stack.enter_context(self._mode)
            self._active.append(stack.pop_all())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._active.pop().close()

    def _thread(self, call: Call) -> Any:
        with self._mode if self._active else nullcontext():
            return call()

    def _update(self, name: str, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Run the update of an optimizer, like one op if none of those that it consists of can make history."""
        if torch.is_grad_enabled() or _get_current_function_mode() is not self._mode:
            return func(*args, **kwargs)
        with _pop_mode_temporarily():
            if not self._exposed or not self._exposed_among(tensors_in((args, kwargs))):
                return self.run(name, func, args, kwargs)
        return func(*args, **kwargs)

    def keeps_of(self, node: Node) -> tuple[Keep, ...]:
        """What was recorded of a node."""
        found: tuple[Keep, ...] = node.metadata.get(self._key, ())
        return found

    def run(
        self, name: str, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any] | None = None, plain: bool = False
    ) -> Any:
        """Run one op and remember what it did.

        Args:
            name: its qualified name.
            func: runs it.
            args: what it is given.
            kwargs: the same by name.
            plain: no operand is of a subclass that takes part in what is asked of it.
        """
        given = (*args, *kwargs.values()) if kwargs else args
        operands = tensors_in(given)
        originals: Sequence[tuple[Keep, Tensor, Tensor]] = ()
        if plain and not self._exposed:
            before = versions(operands)
        else:
            with torch._C.DisableTorchFunctionSubclass():
                before = versions(operands)
                originals = self._originals(operands) if self._exposed and may_write(name, given, kwargs or {}) else ()
        sequence = _sequence_number()
        self._op = name
        try:
            result = func(*args, **kwargs) if kwargs else func(*args)
        except RuntimeError as error:
            for listener in self._listeners:
                listener.refused(error, name, here(1), operands)
            raise
        if plain and type(result) in PLAIN:
            self._look(name, result, operands, before, sequence)
        else:
            with torch._C.DisableTorchFunctionSubclass():
                self._look(name, result, operands, before, sequence)
        for keep, view, original in originals:
            with torch._C.DisableTorchFunctionSubclass():
                self._suspect(keep, view, original)
        return result

    def expose(self, tensor: Tensor) -> None:
        """Take note of a tensor that `.data` gave."""
        if self.live.at(address(tensor)):
            self._exposed.add(address(tensor))

    def _originals(self, operands: Sequence[Tensor]) -> Sequence[tuple[Keep, Tensor, Tensor]]:
        """Kept tensors that an op may be about to change unseen: each as it is, and a copy."""
        exposed = self._exposed_among(operands)
        keeps = [(keep, each) for at, each in exposed.items() for keep in self.live.at(at) if keep.is_used]
        views = [(keep, part(each, keep.layout)) for keep, each in keeps]
        copies = {(keep.address, keep.layout): copied(view) for keep, view in views if view is not None}
        return [(keep, view, copies[keep.address, keep.layout]) for keep, view in views if view is not None]

    def _exposed_among(self, operands: Iterable[Tensor]) -> dict[int, Tensor]:
        """Those whose memory holds kept tensors that no version check watches."""
        found = {}
        for each in operands:
            where = address(each)
            if where in self._exposed:
                if where in self.live:
                    found[where] = each
                else:
                    self._exposed.discard(where)
        return found

    def _suspect(self, keep: Keep, view: Tensor, original: Tensor) -> None:
        change = keep.changes[-1] if keep.changes else None
        if change is not None and change.time == self.time and not same_values(view, original):
            keep.unseen = (*keep.unseen, change)
            keep.original = original if keep.original is None else keep.original
            self.suspects.add(keep)

    def _look(
        self, name: str, result: Any, operands: Sequence[Tensor], before: Sequence[int | None], sequence: int
    ) -> None:
        self.time += 1
        after = versions(operands)
        written: Sequence[Tensor] = ()
        writes: dict[int, _Write] = {}
        # Most writes are to what no graph keeps, and most nodes keep nothing; then it is enough to know that.
        changes: dict[int, Change] = {}
        if after != before:
            written, writes = self._writes(operands, before, after)
            if writes and (self._of_changes or any(where in self.live for where in writes)):
                changes = self._changes(name, here(3), writes)
        results = (result,) if isinstance(result, Tensor) else tensors_in((result,))
        pasts = histories((*results, *written) if written else results, operands)
        nodes = self._new_nodes(pasts, sequence) if pasts else ()
        found = []
        for node in nodes:
            kept = kept_by(node)
            if node.name() == WRAPPED:
                kept += hidden_saves(name, written, operands)
            if kept:
                found.append((node, kept))
        if found:
            place = here(3)
            if writes and not changes:
                changes = {where: self._change(name, place, where, write) for where, write in writes.items()}
            self._keep_all(found, _Op(name, place, results, operands, changes))
        if self._regions:
            self._note_read(name, operands, results, written)

    def _writes(
        self, operands: Sequence[Tensor], before: Sequence[int | None], after: Sequence[int | None]
    ) -> tuple[list[Tensor], dict[int, _Write]]:
        """The tensors that were written, and by address those writes that nobody has told of."""
        written: list[Tensor] = []
        writes: dict[int, _Write] = {}
        told = self._running.told
        for tensor, old, new in zip(operands, before, after, strict=True):
            if old is None or new is None or new == old:
                continue
            written.append(tensor)
            where = address(tensor)
            if told is not None:
                old = told.get(where, old)
            if new != old and where not in writes:
                writes[where] = _Write(tensor, tensor is operands[0], old, new)
                if told is not None:
                    told[where] = new
        return written, writes

    def _changes(self, name: str, place: Place, writes: dict[int, _Write]) -> dict[int, Change]:
        """Tell the records of what is kept there, and the listeners."""
        changes = {}
        for where, write in writes.items():
            change = changes[where] = self._change(name, place, where, write)
            for keep in self.live.at(where):
                keep.changed(change)
            for tell in self._of_changes:
                tell(change, write.tensor)
        return changes

    def _change(self, name: str, place: Place, where: int, write: _Write) -> Change:
        called, grad_mode = place.op(name), torch.is_grad_enabled()
        return Change(called, name, place, write.first, where, write.before, write.after, self.time, grad_mode)

    def _new_nodes(self, todo: list[Node], sequence: int) -> list[Node]:
        """Nodes not met before, marked as met; those older than the op are recorded as of unknown origin."""
        key = self._key
        found = []
        while todo:
            node = todo.pop()
            if node is None or type(node) is _Accumulate or key in (known := node.metadata):
                continue
            known[key] = ()
            todo += [source for source, _ in node.next_functions]
            if node._sequence_nr() >= sequence:
                found.append(node)
            elif kept := kept_by(node):
                self._keep_all([(node, kept)], _Op("", NOWHERE))
        return found

    def _keep_all(self, found: Iterable[tuple[Node, list[Kept]]], op: _Op) -> None:
        called, place, changes = op.place.op(op.name), op.place, op.changes
        for node, all_kept in found:
            kind = node.name()
            keeps = []
            for kept in all_kept:
                where = address(kept.tensor)
                is_result = "result" in kept.at[0] or op.made(where)
                # An input of an in-place op is kept before the op overwrites it.
                change = changes.get(where) if changes and not is_result else None
                keeps.append(self._keep(called, place, kind, kept, where, is_result, change))
            node.metadata[self._key] = tuple(keeps)

    def _keep(
        self, op: str, place: Place, node: str, kept: Kept, where: int, is_result: bool, change: Change | None
    ) -> Keep:
        tensor = kept.tensor
        counter = change.before if change else version(tensor) or 0
        layout, leaf = Layout.of(tensor), of_leaf(tensor)
        keep = Keep(op, node, place, kept.at, where, counter, layout, is_result, leaf, self.time)
        if change is not None:
            keep.changes = (change,)
        self.live.add(keep)
        for tell in self._of_keeps:
            tell(keep, tensor)
        return keep

    def backward(self, call: Call, outputs: Sequence[Any], inputs: Sequence[Any]) -> Any:
        """Run a backward pass, during which ops of hooks, custom functions and checkpoints are recorded."""
        roots = [node for output in outputs if (node := root(output)) is not None]
        place = here(2)
        for listener in self._listeners:
            listener.backward(roots, place)
        sequence = _sequence_number()
        outer, self._backward = self._backward, place
        try:
            with self.recording():
                result = call()
        except RuntimeError as error:
            for listener in self._listeners:
                listener.backward_failed(error, roots, place, not inputs)
            raise
        finally:
            self._backward = outer
        gradients = tensors_in((result,))
        if any(gradient.requires_grad for gradient in gradients):
            self._look("torch.autograd.grad", gradients, (), (), sequence)
        return result

    def apply(self, call: Call, name: str, arguments: Sequence[Any]) -> Any:
        """Run a custom function, like an op that consists of ops."""
        with self._running:
            return self.run(name, lambda *_: call(), arguments)

    def recording(self) -> AbstractContextManager[Any]:
        """Record what runs inside, also where PyTorch has put the mode aside, or in a thread of its own."""
        return nullcontext() if self._mode in _get_current_function_mode_stack() else self._mode

    def packed(self, tensor: Tensor) -> Keep:
        """Record what a hook has packed: no version check will watch it."""
        with torch._C.DisableTorchFunctionSubclass():
            where, place = address(tensor), here(2)
            self._exposed.add(where)
            return self._keep(place.op(self._op), place, self._op, Kept(tensor, (PACKED, 0)), where, False, None)

    def unpacked(self, keep: Keep) -> None:
        """Tell of what a backward pass reads although it was overwritten."""
        for listener in self._listeners:
            listener.unpacked(keep, keep.unseen[0], self._backward)

    def enter(self, region: Region) -> None:
        """Begin to record what the function of a checkpoint reads."""
        self._regions.append(region)

    def leave(self, region: Region) -> None:
        """End it."""
        if region in self._regions:
            self._regions.remove(region)
            region.forward_is_over()

    def _note_read(
        self, name: str, operands: Sequence[Tensor], results: Sequence[Tensor], written: Sequence[Tensor]
    ) -> None:
        place = here(3)

        def keep(tensor: Tensor) -> Keep:
            where = address(tensor)
            self._exposed.add(where)
            return self._keep(place.op(name), place, CHECKPOINT, Kept(tensor, (READ, 0)), where, False, None)

        for region in self._regions:
            region.note(operands, results, written, keep)

    def checkpointed(self, owner: object, saved: Sequence[Any]) -> None:
        """Record what a checkpoint has saved."""
        name, place = CHECKPOINT, here(2)
        owner.__dict__[self._key] = [
            self._keep(name, place, name, kept, address(kept.tensor), False, None)
            for kept in kept_under(CHECKPOINTED, saved)
        ]


class _Write(NamedTuple):
    """A tensor that an op wrote, whether it is its first operand, and the version counter before and after."""

    tensor: Tensor
    first: bool
    before: int
    after: int


@dataclass(slots=True)
class _Op:
    """What one op was given and made; `changes` by address."""

    name: str
    place: Place
    results: Sequence[Tensor] = ()
    operands: Sequence[Tensor] = ()
    changes: dict[int, Change] = field(default_factory=dict)
    _given: list[int] | None = None

    def made(self, where: int) -> bool:
        """Whether the memory there is new."""
        if self._given is None:
            self._given = [address(each) for each in self.operands]
        return where not in self._given and any(address(each) == where for each in self.results)


class _Running(threading.local):
    """The custom functions that are running in a thread.

    Attributes:
        told: the versions, by address, that ops of the innermost one have told of; None if none is running.
    """

    def __init__(self) -> None:
        self._outer: list[dict[int, int] | None] = []
        self.told: dict[int, int] | None = None

    def __enter__(self) -> None:
        self._outer.append(self.told)
        self.told = {}

    def __exit__(self, *_: object) -> None:
        inner, self.told = self.told, self._outer.pop()
        if self.told is not None and inner is not None:
            self.told.update(inner)
