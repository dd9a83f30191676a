"""Runs beside real code, and remembers which op saved what and which op wrote it.

The recorder sees each op that Python calls (a `TorchFunctionMode`), reads version counters before
and after it, and reads from the graph what autograd kept. It installs no hooks on saved tensors and
no dispatch mode: both would change PyTorch's own check of versions. It holds no tensor: a record
belongs to its graph node, and goes with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from types import TracebackType
from typing import Any, Protocol

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode, _get_current_function_mode_stack, resolve_name

from inplace_lint.runtime.recorder.engine import Call, watched
from inplace_lint.runtime.recorder.frames import NOWHERE, Place, here
from inplace_lint.runtime.recorder.records import Change, Keep, Layout, LiveKeeps
from inplace_lint.runtime.recorder.saves import Kept, Node, address, kept_by, of_leaf, tensors_in, version

# Reading or setting an attribute runs no op and saves nothing.
_ACCESSORS = ("__get__", "__set__", "__delete__")


class Listener(Protocol):
    """Is told of what happens, as it happens."""

    def changed(self, change: Change, tensor: Tensor) -> None:
        """An op modified a tensor."""

    def kept(self, keep: Keep, tensor: Tensor) -> None:
        """Autograd kept a tensor for a backward."""

    def refused(self, error: RuntimeError, op: str, place: Place, operands: Sequence[Tensor]) -> None:
        """An op raised."""

    def backward(self, roots: Sequence[Node], place: Place) -> None:
        """A backward pass begins."""

    def backward_failed(self, error: RuntimeError, roots: Sequence[Node], place: Place) -> None:
        """A backward pass raised."""


class Recorder:
    """Records what runs inside `with recorder:`, in this thread and in backward passes.

    Attributes:
        kept: what the graphs that are alive keep, each with the writes to it since.
        time: how many ops have run.
    """

    def __init__(self, listeners: Iterable[Listener] = ()) -> None:
        self.kept = LiveKeeps()
        self.time = 0
        self._listeners = tuple(listeners)
        self._mode = _Mode(self)
        self._patches = watched(self._backward, self._apply)
        self._key = f"inplace_lint.{id(self)}"
        # For each op that is running, the versions that ops inside it (of a custom function) have told of.
        self._inner: list[dict[int, int]] = []

    def __enter__(self) -> Recorder:
        self._patches.__enter__()
        self._mode.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._mode.__exit__(kind, error, trace)
        self._patches.__exit__(kind, error, trace)

    def run(self, name: str, call: Callable[[], Any], operands: Sequence[Tensor]) -> Any:
        """Run one op and remember what it did."""
        before = [version(tensor) for tensor in operands]
        self._inner.append({})
        sequence = torch._C._autograd._get_sequence_nr()
        try:
            result = call()
        except RuntimeError as error:
            for listener in self._listeners:
                listener.refused(error, name, here(2), operands)
            raise
        finally:
            inner = self._inner.pop()
        self.time += 1
        written: dict[int, Change] = {}
        touched = [result] if isinstance(result, Tensor) else tensors_in((result,))
        place: Place | None = None
        for tensor, old in zip(operands, before, strict=True):
            new = version(tensor)
            if old is None or new is None or new == old:
                continue
            touched.append(tensor)
            old = inner.get(address(tensor), old)
            if new != old and address(tensor) not in written:
                place = place or here(2)
                written[address(tensor)] = self._change(name, place, tensor, old, new)
        nodes = list(self._new_nodes(_histories(touched, operands), sequence))
        if nodes:
            fresh = {address(tensor) for tensor in touched} - {address(tensor) for tensor in operands}
            self._keep_all(name, place or here(2), nodes, fresh, written)
        return result

    def _change(self, name: str, place: Place, tensor: Tensor, old: int, new: int) -> Change:
        change = Change(place.op(name), place, address(tensor), old, new, self.time, torch.is_grad_enabled())
        for outer in self._inner:
            outer[change.address] = new
        for keep in self.kept.at(change.address):
            keep.changed(change)
        for listener in self._listeners:
            listener.changed(change, tensor)
        return change

    def _new_nodes(self, todo: list[Node], sequence: int) -> Iterable[Node]:
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
                node.metadata[self._key] = tuple(self._keep("", NOWHERE, node, kept) for kept in kept_by(node))

    def _keep_all(
        self, name: str, place: Place, nodes: Iterable[Node], fresh: set[int], written: dict[int, Change]
    ) -> None:
        for node in nodes:
            records = []
            for kept in kept_by(node):
                keep = self._keep(place.op(name), place, node, kept)
                change = written.get(keep.address)
                keep.is_result = "result" in kept.attribute or keep.address in fresh
                if change is not None and not keep.is_result:  # kept first, then overwritten by the same op
                    keep.version = change.before
                    keep.changed(change)
                records.append(keep)
            node.metadata[self._key] = tuple(records)

    def _keep(self, op: str, place: Place, node: Node, kept: Kept) -> Keep:
        tensor = kept.tensor
        keep = Keep(
            op=op,
            node=node.name(),
            place=place,
            attribute=(kept.attribute, kept.index),
            address=address(tensor),
            version=version(tensor) or 0,
            layout=Layout.of(tensor),
            is_result=False,
            leaf=of_leaf(tensor),
            time=self.time,
        )
        self.kept.add(keep)
        for listener in self._listeners:
            listener.kept(keep, tensor)
        return keep

    def keeps_of(self, node: Node) -> tuple[Keep, ...]:
        """What was recorded of a node."""
        found: tuple[Keep, ...] = node.metadata.get(self._key, ())
        return found

    def _backward(self, call: Call, outputs: Sequence[Any]) -> Any:
        roots = [root for output in outputs if (root := _root(output)) is not None]
        place = here(2)
        for listener in self._listeners:
            listener.backward(roots, place)
        try:
            with nullcontext() if self._mode in _get_current_function_mode_stack() else self._mode:
                return call()
        except RuntimeError as error:
            for listener in self._listeners:
                listener.backward_failed(error, roots, place)
            raise

    def _apply(self, call: Call, name: str, arguments: Sequence[Any]) -> Any:
        return self.run(name, call, tensors_in(arguments))


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
        if name is None:
            return func(*args, **kwargs)
        operands = tensors_in(args)
        if kwargs:
            operands += tensors_in(kwargs.values())
        return self._recorder.run(name, lambda: func(*args, **kwargs), operands)

    def _name(self, func: Any) -> str | None:
        """The op's qualified name; None for what is no op."""
        if func not in self._names:
            plain = getattr(func, "__name__", "") not in _ACCESSORS
            self._names[func] = (resolve_name(func) or getattr(func, "__name__", "an op")) if plain else None
        return self._names[func]


def _histories(touched: Iterable[Tensor], operands: Sequence[Tensor]) -> list[Node]:
    """What the tensors that an op gave or wrote come from.

    A view that was written is asked for through its base: its own history is remade, or refused,
    when asked for.
    """
    old = {id(tensor) for tensor in operands}
    found = []
    for tensor in touched:
        base = tensor._base if id(tensor) in old else None
        if tensor.requires_grad or (base is not None and base.requires_grad):
            found.append((tensor if base is None else base).grad_fn)
    return found


def _root(output: Any) -> Node:
    """The node that a backward pass begins with; None for a leaf."""
    return output.grad_fn if isinstance(output, Tensor) else getattr(output, "node", None)
