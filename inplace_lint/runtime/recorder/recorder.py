"""Runs beside real code, and remembers which op saved what and which op wrote it.

The recorder sees each op that Python calls (a `TorchFunctionMode`), reads version counters before
and after it, and reads from the graph what autograd kept. It installs no hooks on saved tensors and
no dispatch mode: both would change PyTorch's own check of versions. It holds no tensor but copies of
what is overwritten by way of `.data`: a record belongs to its graph node, and goes with it.
"""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode, _get_current_function_mode_stack, resolve_name

from inplace_lint.runtime.recorder.engine import Call, watched, watched_threads
from inplace_lint.runtime.recorder.frames import NOWHERE, Place, here
from inplace_lint.runtime.recorder.packed import PACKED, watched_hooks
from inplace_lint.runtime.recorder.records import Change, Keep, Layout, LiveKeeps
from inplace_lint.runtime.recorder.saves import (
    CHECKPOINTED,
    Kept,
    Node,
    address,
    hidden_saves,
    histories,
    kept_by,
    kept_under,
    of_leaf,
    part,
    root,
    same_values,
    tensors_in,
    version,
    versions,
)

# Reading or setting an attribute runs no op and saves nothing.
_ACCESSORS = ("__get__", "__set__", "__delete__")
_DATA: Any = vars(torch._C.TensorBase)["data"].__get__


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
        self._mode = _Mode(self)
        self._active: list[ExitStack] = []
        # Memory with kept tensors that no version check watches: reached by way of `.data`, or packed by hooks.
        self._exposed: set[int] = set()
        self._key = f"inplace_lint.{id(self)}"
        self._running = _Running()
        self._op = ""
        self._backward = NOWHERE

    def __enter__(self) -> Recorder:
        with ExitStack() as stack:
            if not self._active:  # once is enough, as in a function that calls itself
                stack.enter_context(watched(self))
                stack.enter_context(watched_threads(self._thread))
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

    def keeps_of(self, node: Node) -> tuple[Keep, ...]:
        """What was recorded of a node."""
        found: tuple[Keep, ...] = node.metadata.get(self._key, ())
        return found

    def run(self, name: str, call: Call, operands: Sequence[Tensor], options: Sequence[Any] = ()) -> Any:
        """Run one op and remember what it did.

        Args:
            name: its qualified name.
            call: runs it.
            operands: all tensors that it is given.
            options: other arguments, among them `inplace`.
        """
        with torch._C.DisableTorchFunctionSubclass():
            before = versions(operands)
            originals = self._originals(name, operands, options) if self._exposed else ()
        sequence = torch._C._autograd._get_sequence_nr()
        self._op = name
        try:
            result = call()
        except RuntimeError as error:
            for listener in self._listeners:
                listener.refused(error, name, here(2), operands)
            raise
        with torch._C.DisableTorchFunctionSubclass():
            self._look(name, result, operands, before, sequence)
            for keep, view, original in originals:
                self._suspect(keep, view, original)
        return result

    def expose(self, tensor: Tensor) -> None:
        """Take note of a tensor that `.data` gave."""
        if self.live.at(address(tensor)):
            self._exposed.add(address(tensor))

    def _originals(
        self, name: str, operands: Sequence[Tensor], options: Sequence[Any]
    ) -> Sequence[tuple[Keep, Tensor, Tensor]]:
        """Kept tensors that an in-place op may be about to change unseen: each as it is, and a copy."""
        if not name.endswith("_") and not any(option is True for option in options):
            return ()
        exposed = {address(each): each for each in operands if address(each) in self._exposed}
        keeps = [(keep, each) for at, each in exposed.items() for keep in self.live.at(at) if keep.is_used]
        views = [(keep, part(each, keep.layout)) for keep, each in keeps]
        return [(keep, view, view.clone()) for keep, view in views if view is not None]

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
        results = [result] if isinstance(result, Tensor) else tensors_in((result,))
        place: Place | None = None
        changes: dict[int, Change] = {}
        written: list[Tensor] = []
        after = versions(operands)
        for tensor, old, new in zip(operands, before, after, strict=True) if after != before else ():
            if old is None or new is None or new == old:
                continue
            written.append(tensor)
            place = place or here(3)
            old = self._running.seen(address(tensor), old)
            if new != old and address(tensor) not in changes:
                changes[address(tensor)] = self._change(name, place, tensor, tensor is operands[0], old, new)
        nodes = list(self._new_nodes(histories(results + written, operands), sequence))
        if nodes:
            self._keep_all(nodes, _Op(name, place or here(3), results, operands, written, changes))

    def _change(self, name: str, place: Place, tensor: Tensor, first: bool, old: int, new: int) -> Change:
        op, grad_mode = place.op(name), torch.is_grad_enabled()
        change = Change(op, name, place, first, address(tensor), old, new, self.time, grad_mode)
        self._running.tell(change.address, new)
        for keep in self.live.at(change.address):
            keep.changed(change)
        for listener in self._listeners:
            listener.changed(change, tensor)
        return change

    def _new_nodes(self, todo: list[Node], sequence: int) -> Iterator[Node]:
        """Nodes not met before, marked as met; those older than the op are recorded as of unknown origin."""
        while todo:
            node = todo.pop()
            if node is None or self._key in node.metadata:
                continue
            node.metadata[self._key] = ()
            todo.extend(source for source, _ in node.next_functions)
            if node._sequence_nr() >= sequence:
                yield node
            else:
                self._keep_all((node,), _Op("", NOWHERE))

    def _keep_all(self, nodes: Iterable[Node], op: _Op) -> None:
        called = op.place.op(op.name)
        for node in nodes:
            records = []
            for kept in (*kept_by(node), *hidden_saves(node, op.name, op.written, op.operands)):
                where = address(kept.tensor)
                is_result = "result" in kept.attribute or op.made(where)
                # An input of an in-place op is kept before the op overwrites it.
                change = None if is_result else op.changes.get(where)
                records.append(self._keep(called, op.place, node.name(), kept, where, is_result, change))
            if records:
                node.metadata[self._key] = tuple(records)

    def _keep(
        self, op: str, place: Place, node: str, kept: Kept, where: int, is_result: bool, change: Change | None
    ) -> Keep:
        tensor = kept.tensor
        keep = Keep(
            op=op,
            node=node,
            place=place,
            attribute=(kept.attribute, kept.index),
            address=where,
            version=change.before if change else version(tensor) or 0,
            layout=Layout.of(tensor),
            is_result=is_result,
            leaf=of_leaf(tensor),
            time=self.time,
            changes=(change,) if change else (),
        )
        self.live.add(keep)
        for listener in self._listeners:
            listener.kept(keep, tensor)
        return keep

    def backward(self, call: Call, outputs: Sequence[Any], inputs: Sequence[Any]) -> Any:
        """Run a backward pass, during which ops of hooks, custom functions and checkpoints are recorded."""
        roots = [node for output in outputs if (node := root(output)) is not None]
        place = here(2)
        for listener in self._listeners:
            listener.backward(roots, place)
        sequence = torch._C._autograd._get_sequence_nr()
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
            return self.run(name, call, tensors_in(arguments))

    def recording(self) -> AbstractContextManager[Any]:
        """Record what runs inside, also where PyTorch has put the mode aside, or in a thread of its own."""
        return nullcontext() if self._mode in _get_current_function_mode_stack() else self._mode

    def packed(self, tensor: Tensor) -> Keep:
        """Record what a hook has packed: no version check will watch it."""
        with torch._C.DisableTorchFunctionSubclass():
            where, place = address(tensor), here(2)
            self._exposed.add(where)
            return self._keep(place.op(self._op), place, self._op, Kept(tensor, PACKED, 0), where, False, None)

    def unpacked(self, keep: Keep) -> None:
        """Tell of what a backward pass reads although it was overwritten."""
        for listener in self._listeners:
            listener.unpacked(keep, keep.unseen[0], self._backward)

    def checkpointed(self, owner: object, saved: Sequence[Any]) -> None:
        """Record what a checkpoint has saved."""
        name = "torch.utils.checkpoint.checkpoint"
        place = here(2)
        owner.__dict__[self._key] = [
            self._keep(name, place, name, kept, address(kept.tensor), False, None)
            for kept in kept_under(CHECKPOINTED, saved)
        ]


@dataclass(slots=True)
class _Op:
    """What one op was given, made and wrote; `changes` by address."""

    name: str
    place: Place
    results: Sequence[Tensor] = ()
    operands: Sequence[Tensor] = ()
    written: Sequence[Tensor] = ()
    changes: dict[int, Change] = field(default_factory=dict)
    _fresh: set[int] | None = None

    def made(self, where: int) -> bool:
        """Whether the memory there is new."""
        if self._fresh is None:
            self._fresh = set(map(address, self.results)).difference(map(address, self.operands))
        return where in self._fresh


class _Running(threading.local):
    """The custom functions that are running, each with the versions that its own ops have told of."""

    def __init__(self) -> None:
        self._told: list[dict[int, int]] = []

    def __enter__(self) -> None:
        self._told.append({})

    def __exit__(self, *_: object) -> None:
        inner = self._told.pop()
        if self._told:
            self._told[-1].update(inner)

    def tell(self, address: int, version: int) -> None:
        if self._told:
            self._told[-1][address] = version

    def seen(self, address: int, version: int) -> int:
        return self._told[-1].get(address, version) if self._told else version


class _Mode(TorchFunctionMode):
    """Hands each op to the recorder."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self._recorder = recorder
        self._names: dict[Any, str | None] = {}

    def __torch_function__(
        self, func: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        name = self._name(func)
        if name is None or _is_traced():
            result = func(*args, **kwargs)
            if func == _DATA and isinstance(result, Tensor):
                self._recorder.expose(result)
            return result
        operands = tensors_in(args)
        if kwargs:
            operands += tensors_in(kwargs.values())
        return self._recorder.run(name, lambda: func(*args, **kwargs), operands, (*args, *kwargs.values()))

    def _name(self, func: Any) -> str | None:
        """The op's qualified name; None for what is no op."""
        if func not in self._names:
            self._names[func] = _qualified(func)
        return self._names[func]


def _qualified(func: Any) -> str | None:
    name = getattr(func, "__name__", "")
    if name in _ACCESSORS:
        return None
    qualified: str = resolve_name(func) or name or "an op"
    owner, _, last = qualified.rpartition(".")
    # `torch.spmm` is the same function as `torch.mm`.
    return f"{owner}.{name}" if owner == "torch" and last != name and hasattr(torch, name) else qualified


def _is_traced() -> bool:
    """Whether the op is only being noted down, by `torch.jit.trace` or `torch.export`."""
    if torch._C._get_tracing_state() is not None:
        return True
    return "torch._dynamo" in sys.modules and torch.compiler.is_compiling()
