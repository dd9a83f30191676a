"""One run of an entry point on one path: the state that every part of the interpreter shares."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from inplace_lint.diagnostic import Site, Span
from inplace_lint.interpret.oracle import Oracle
from inplace_lint.interpret.values import (
    Builtin,
    Cell,
    Class,
    Dict,
    Frame,
    Instance,
    Key,
    Library,
    List,
    Partial,
    Unknown,
    Value,
    key_of,
)
from inplace_lint.source import ir
from inplace_lint.torch_model.events import Bind, Operand, Slot, SlotKind, Write
from inplace_lint.torch_model.machine import Machine
from inplace_lint.torch_model.tensor import NO, Family, Node, Storage, Tensor, assumed

MOST_DEPTH = 24

# Turns of a loop of unknown length; a whole program may show more in another one.
USUAL_TURNS = 2

# By the conventions of PyTorch's own signatures, what goes by these names, or ends in one, is data.
PLAIN_NAMES = frozenset(
    "target targets label labels y y_true gt ground_truth mask masks index indices idx ids lens lengths grad grads "
    "gradient gradients workspace scratch batch reward rewards done dones terminated".split()
)


class Returned(Exception):
    """`return` was executed."""

    def __init__(self, cell: Cell, node: ir.Node | None = None) -> None:
        self.cell = cell
        self.node = node


class Raised(Exception):
    """`raise` was executed."""


class Jumped(Exception):
    """`break` or `continue` was executed."""

    def __init__(self, kind: str) -> None:
        self.kind = kind


@dataclass(slots=True, eq=False)
class Run:
    """The state of one path.

    Args:
        torch: the abstract PyTorch.
        oracle: makes the choices.
        tensors: keys of unknowns that earlier runs proved to be tensors, and `("no", key)` of those that are none.
        guessed: by tensor, the unknown that was taken for one because of a method's name.
        frames: the frame of every module that has been looked into.
        members: what the bodies of classes have bound, where that is not the same in all runs.
        reads: how often an unknown has been read.
        surprised: an unknown turned out to be a tensor after it had been used otherwise.
        unproven: where an unknown was written in place, if it is a tensor.
        harmless: where what looks like a write changed a number, or an item of a container, that a variable holds:
            arguments and attributes may hold tensors another time.
        registered: how many decorators of the program have been run.
        parameters: by unknown model, one of its parameters, the last that was asked for.
        grad_hooks: by leaf, the leaf and what is to be called with it when a backward pass has added to its `.grad`.
        turns: how often a loop of unknown length is run.
        looping: the call, or the object, from which a loop takes in turn.
        prepared: the times, first and last, in which the object was made up that a method is run on.
        stack: the frames of the running calls, innermost last.
        past: the frames of all calls.
        executed: functions that were run as callees.
        entering: called with the frame of the entry point when its arguments are bound.
        custom: the nodes of the program's own functions.
        displayed: a tuple that is unpacked where it is displayed, and its items in their own places.
        returned: what the entry point gave back; None if it raised.
        observe: called after every statement that ran to its end.
    """

    torch: Machine
    oracle: Oracle
    tensors: set[Hashable]
    guessed: dict[Tensor, Key] = field(default_factory=dict)
    frames: dict[str, Frame] = field(default_factory=dict)
    members: dict[Class, dict[str, Cell]] = field(default_factory=dict)
    reads: dict[Key, int] = field(default_factory=dict)
    surprised: bool = False
    unproven: set[Site] = field(default_factory=set)
    harmless: set[Site] = field(default_factory=set)
    registered: int = 0
    parameters: dict[Key, Tensor] = field(default_factory=dict)
    grad_hooks: dict[Family, list[tuple[Cell, Cell]]] = field(default_factory=dict)
    turns: int = USUAL_TURNS
    looping: ir.Node | None = None
    prepared: list[tuple[int, int]] = field(default_factory=list)
    stack: list[Frame] = field(default_factory=list)
    past: list[Frame] = field(default_factory=list)
    executed: set[ir.Function] = field(default_factory=set)
    met: dict[ir.Node, int] = field(default_factory=dict)
    closing: list[object] = field(default_factory=list)
    custom: list[Node] = field(default_factory=list)
    entering: Callable[[Frame], None] | None = None
    displayed: tuple[Value, list[Cell]] | None = None
    returned: Cell | None = None
    on_data: bool = False
    observe: Callable[[Run, ir.Stmt], None] | None = None

    @property
    def frame(self) -> Frame:
        """The innermost frame."""
        return self.stack[-1]

    def close(self) -> None:
        """Let go of everything: in circles, it would wait for the garbage collector, which takes longer."""
        for event in self.torch.trace.events:
            if isinstance(event, Write):
                event.storage.writes.clear()
        self.torch.trace.events.clear()
        for frame in (*self.past, *self.frames.values()):
            frame.cells.clear()
        for node in self.custom:
            node.custom = None
        mine = (self.past, self.frames, self.members, self.stack, self.closing)
        for left in (*mine, self.grad_hooks, self.parameters, self.guessed):
            left.clear()

    def made_up(self, storage: Storage) -> bool:
        """Whether memory belongs to the object that a method is run on."""
        return any(first <= storage.made_at <= last for first, last in self.prepared)

    def site(self, node: ir.Node) -> Site:
        """Where a node of the running file stands; where a user's file calls what runs, if that is of a library."""
        if self.frame.module.library and self.torch.stack:
            return self.torch.stack[-1]
        return Site(self.frame.module.path, node.span)

    def key(self, node: ir.Node) -> Hashable:
        """A key for what `node` makes now: the same on another path that comes here as often."""
        count = self.met[node] = self.met.get(node, 0) + 1
        return (node, count)

    def unknown(
        self,
        key: Hashable,
        label: str = "",
        history: tuple[Node | Family, ...] = (),
        is_data: bool = False,
        is_mapped: bool = False,
    ) -> Value:
        """An unknown; a tensor if an earlier run has proved it to be one."""
        is_data = is_data or _is_plain(label)
        made = Unknown(key_of(key), label, history=history, is_data=is_data, is_mapped=is_mapped)
        if made.key in self.tensors:
            self.promote(made, None)
        else:
            self.reads[made.key] = self.reads.get(made.key, 0) + 1
        return made

    def promote(self, unknown: Unknown, site: Site | None) -> Tensor:
        """Evidence shows that an unknown is a tensor."""
        if unknown.tensor is None:
            place = site or Site(self.frame.module.path if self.stack else "", Span(1, 1, 1, 1))
            is_data = self.on_data or unknown.is_data
            need = NO if is_data else assumed(f"{named(unknown.label)} requires grad")
            product = unknown.key.parts[:2] == ("binary", "@")
            facts = {"label": unknown.label, "given": True, "contiguous": True if product else None}
            unknown.tensor = self.torch.unknown(place, need, **facts)
            if unknown.is_mapped and self.torch.mapped is not None:
                self.torch.mapped.add(unknown.tensor.storage)
            if unknown.history and unknown.tensor.family.node is not None:
                unknown.tensor.family.node.inputs = unknown.history
            if unknown.key not in self.tensors:
                self.tensors.add(unknown.key)
                self.surprised |= self.reads.get(unknown.key, 0) > 1
                self._prove_whole(unknown.key)
        return unknown.tensor

    def guess(self, unknown: Unknown, site: Site) -> Value:
        """A method is called of a name that tensors have, and little else: a tensor, unless it has been refuted."""
        if unknown.tensor is None and (unknown.not_tensor or ("no", unknown.key) in self.tensors):
            return unknown
        tensor = self.promote(unknown, site)
        self.guessed[tensor] = unknown.key
        return tensor

    def refute(self, key: Key) -> None:
        """An attribute is read that no tensor has."""
        if ("no", key) not in self.tensors:
            self.tensors.add(("no", key))
            self.surprised |= key in self.tensors
            self.tensors.discard(key)

    def _prove_whole(self, item: Key) -> None:
        """A tensor that was found at a range, a mask or a list of positions is part of a tensor."""
        if item.parts[0] == "item" and len(item.parts) == 3 and isinstance(item.parts[1], Key):
            whole, places = item.parts[1], item.parts[2]
            if isinstance(places, tuple) and any(map(_is_for_several, places)) and whole not in self.tensors:
                self.tensors.add(whole)
                self.surprised = True

    def bind(
        self, frame: Frame, name: str, value: Value, site: Site, source: Slot | None, kind: SlotKind = "name"
    ) -> Cell:
        """Give a variable a value."""
        slot = Slot((id(frame), name), name, kind, self.torch.tick(), site, source, frame.depth)
        slot.container = source.container if source is not None and source.kind == "element" else ""
        _note_use(slot)
        cell = Cell(value, slot)
        frame.cells[name] = cell
        tensor = plain(value)
        if isinstance(tensor, Dict) and frame.name == "<module>":
            tensor.is_global = True
        if isinstance(tensor, Tensor):
            slot.region, slot.detached = tensor.region, tensor.hides is not None
            tensor.label = tensor.label or name
        self.hold(slot, value, site)
        return cell

    def cell(
        self, place: object, label: str, kind: SlotKind, value: Value, site: Site | None, source: Slot | None
    ) -> Cell:
        """An attribute or element with a value."""
        depth = self.frame.depth if self.stack else 0
        slot = Slot(place, label, kind, self.torch.tick(), site, source, depth)
        tensor = plain(value)
        if isinstance(tensor, Tensor):
            slot.region, slot.detached = tensor.region, tensor.hides is not None
        return Cell(value, slot)

    def store(self, place: object, label: str, kind: SlotKind, value: Value, site: Site, source: Slot | None) -> Cell:
        """An attribute or element that is given a value, and keeps the tensors in it."""
        made = self.cell(place, label, kind, value, site, source)
        assert made.slot is not None
        _note_use(made.slot)
        self.hold(made.slot, value, site)
        return made

    def hold(self, slot: Slot, value: Value, site: Site) -> None:
        """Note that a place holds the tensors in a value."""
        held = plain(value.receiver.value if isinstance(value, Builtin) else value)
        if not isinstance(held, (Tensor, List, Dict, Partial)):
            return
        for inner, _ in tensors_of(held, 16):
            tensor = plain(inner.value)
            assert isinstance(tensor, Tensor)
            self.torch.trace.events.append(Bind(self.torch.clock, site, self.torch.stack, slot, tensor))

    def operand(self, cell: Cell, site: Site, text: str, evaluated_at: int | None = None) -> Operand | None:
        """A tensor as an op receives it; None if the value is no tensor."""
        tensor = plain(cell.value)
        if not isinstance(tensor, Tensor):
            return None
        return Operand(tensor, site, cell.slot, self.torch.clock if evaluated_at is None else evaluated_at, text)


def _note_use(slot: Slot) -> None:
    """What is put into another place has been read for that."""
    if slot.source is not None and slot.source.place != slot.place:
        slot.source.note_read(slot.bound_at)
        slot.source.put = slot if slot.kind == "element" else slot.source.put


def _is_for_several(place: object) -> bool:
    """Whether a part of a subscript, its kind and what identifies it, stands for several positions, or is a mask."""
    if not isinstance(place, tuple) or len(place) != 2:
        return False
    kind, key = place
    return kind in ("advanced", "slice", "all", "ellipsis", "new") or (
        isinstance(key, Key) and key.parts[0] == "compare"
    )


def _is_plain(label: str) -> bool:
    """Whether a name says that it stands for data, or for what was loaded."""
    name = label.rpartition(".")[2]
    return name in PLAIN_NAMES or name.rpartition("_")[2] in PLAIN_NAMES or name.startswith("loaded_")


def named(label: str) -> str:
    """How a message calls a tensor."""
    return f"`{label}`" if label else "the tensor"


def result_slot(run: Run, value: Value, cell: Cell | None) -> Slot | None:
    """The slot of an op's result that is, or shares memory with, its first argument.

    What an in-place op gives back is the new value: reading it is no late read of the old one.
    """
    source, result = plain(cell.value) if cell is not None else None, plain(value)
    if cell is None or cell.slot is None or not isinstance(source, Tensor) or not isinstance(result, Tensor):
        return None
    last = run.torch.trace.events[-1] if run.torch.trace.events else None
    if result is source and isinstance(last, Write) and last.storage is source.storage:
        began = last.time - 1  # what was written before is no part of the value
        return replace(cell.slot, bound_at=run.torch.clock, source=cell.slot, is_result=True, since=began)
    return cell.slot if result.storage is source.storage else None


def plain(value: Value) -> Value:
    """An unknown that has turned out to be a tensor is that tensor."""
    if isinstance(value, Unknown) and value.tensor is not None:
        return value.tensor
    return value


def identity(value: Value, depth: int = 3) -> Hashable:
    """A key that tells whether a condition's operands are the same as before; of tuples, so many levels deep."""
    value = plain(value)
    if isinstance(value, Unknown):
        return value.key
    if isinstance(value, Tensor):
        return ("tensor", value.storage.key, value.counter.value, value.region)
    if isinstance(value, Instance) and value.key is not None:
        return value.key
    if isinstance(value, Library):
        return ("library", value.name)
    if isinstance(value, List) and value.kind == "tuple" and not value.open and depth and len(value.items) < 32:
        return ("tuple", *(identity(cell.value, depth - 1) for cell in value.items))
    try:
        hash(value)
    except TypeError:
        return ("object", id(value))
    return ("constant", type(value).__name__, value)


def entry_key(value: Value) -> Hashable:
    """What a dictionary knows a key by: a tensor is itself, whatever is written to it."""
    value = plain(value)
    return ("tensor", value.storage.key, value.region) if isinstance(value, Tensor) else identity(value)


def tensors_of(value: Value, limit: int = 200) -> Iterator[tuple[Cell, str]]:
    """The cells of all tensors in a value and its containers, with how to spell them."""
    todo: list[tuple[Cell, str]] = [(Cell(value), "")]
    seen: set[int] = set()
    while todo and limit > 0:
        cell, text = todo.pop()
        limit -= 1
        value = plain(cell.value)
        if isinstance(value, Tensor):
            yield cell, text
        elif id(value) in seen:
            continue
        elif isinstance(value, List):
            seen.add(id(value))
            todo.extend((item, f"{text}[{i}]") for i, item in reversed(list(enumerate(value.items[:limit]))))
        elif isinstance(value, Dict):
            seen.add(id(value))
            todo.extend((item, f"{text}[...]") for item in reversed(list(islice(value.items.values(), limit))))
        elif isinstance(value, Partial):
            seen.add(id(value))
            todo.extend((item, text) for item in value.args[:limit])
