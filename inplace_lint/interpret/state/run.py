"""One run of an entry point on one path: the state that every part of the interpreter shares.

The parts need each other: a call evaluates, and an expression calls. They reach each other by the methods of `Run` that
`engine.Interpreter` implements, so that no file imports one that imports it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from inplace_lint.findings.given import Needing
from inplace_lint.interpret.state.keys import Attribute, IsData, Key, Made, NoTensor, key_of
from inplace_lint.interpret.state.made_of import is_value, parameters_of, tensor_facts
from inplace_lint.interpret.state.naming import named, names_data, names_setting
from inplace_lint.interpret.state.oracle import Oracle
from inplace_lint.interpret.state.proven import Proven
from inplace_lint.interpret.state.tensors_within import tensors_of
from inplace_lint.interpret.state.values import (
    Arguments,
    Builtin,
    Class,
    Dict,
    Frame,
    Function,
    Instance,
    List,
    Native,
    Partial,
    Passed,
    Ref,
    Unknown,
    Value,
    resolve,
)
from inplace_lint.source import ir
from inplace_lint.source.place import Site, Span
from inplace_lint.source.spelling import ir_text
from inplace_lint.torch_model.events import Bind, Write
from inplace_lint.torch_model.machine import Machine
from inplace_lint.torch_model.operands import Binding, BindingKind, Keeper, Operand
from inplace_lint.torch_model.tensor import NO, AutogradMeta, Node, Storage, Tensor, assumed

MOST_DEPTH = 24
# Of calls within installed libraries, those so deep are followed.
MOST_INSTALLED_DEPTH = 10

# Turns of a loop of unknown length; a whole program may show more in another one.
USUAL_TURNS = 2
# Turns of a loop whose length is known.
MOST_ITERATIONS = 24


class Returned(Exception):
    """`return` was executed."""

    def __init__(self, ref: Ref, node: ir.Node | None = None) -> None:
        self.ref = ref
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
        proven: what this run and earlier ones have proved of unknowns.
        frames: the frame of every module that has been looked into.
        members: what the bodies of classes have bound, where that is not the same in all runs.
        maybe_write_sites: where an unknown was written, if it is a tensor.
        non_tensor_write_sites: where what looks like a write changed no tensor, though it may another time.
        registered: how many decorators of the program have been run.
        fed: the classes whose containers have been filled.
        parameters, buffers: by unknown model, what stands for them; None if it was called before they were asked for.
        described: by its shape or dtype, a tensor.
        on_tensors: the attributes that the program has given tensors.
        kept: the bindings of what was put into attributes and elements.
        alive: objects that are known by their identity, by that.
        asked_need: by what tells if it requires grad, or may at all, a tensor of which nobody knows whether it does.
        hooked: the lists of what modules have been told to call.
        grad_hooks: by leaf, the leaf and what is to be called with it when a backward pass has added to its `.grad`.
        turns, looping: how often a loop of unknown length is run; the call, or object, from which one takes in turn.
        shortened: when the loops began that are running, and have more turns than are run.
        last_turn: the innermost loop that is running comes to its last turn.
        later: a loop that is running has more turns than are run, and is past the first.
        catching: how many blocks are running that would catch an exception.
        prepared: the times, first and last, in which the object was made up that a method is run on.
        stack, past: the frames of the running calls, innermost last, and of all calls.
        executed, reached: functions that were run as callees, and the statements that were executed.
        unended: callees that were running when no step was left.
        first_of: the expression whose value only the first element is asked of.
        emptied: when, and in which row, places were last given what holds no tensor.
        taken_for: which keys those were taken for, in whatever dictionary, that nobody knows.
        entering: called with the frame of the entry point when its arguments are bound.
        custom: the nodes of the program's own functions.
        displayed: the tuple display that is being unpacked, and its items, which keep their own bindings.
        returned: what the entry point gave back; None if it raised.
        given_cut: functions that were called with tensors cut off from their history, and with none that have one.
        given: what parameters were given.
        stood_in: the statements that gave an argument a value because none was passed.
        brought: the classes of objects that were made up for arguments, and of which something was used.
        in_view: what it executed, and what stood in, before what others may call later was run, too.
        observe: called after every statement, however it ended.
        look: called with every expression and its value, and with every name that is given one.
    """

    torch: Machine
    oracle: Oracle
    proven: Proven
    frames: dict[str, Frame] = field(default_factory=dict)
    members: dict[Class, dict[str, Ref]] = field(default_factory=dict)
    maybe_write_sites: set[Site] = field(default_factory=set)
    non_tensor_write_sites: set[Site] = field(default_factory=set)
    registered: int = 0
    fed: set[Class] = field(default_factory=set)
    parameters: dict[Key, Ref | None] = field(default_factory=dict)
    buffers: dict[Key, Ref | None] = field(default_factory=dict)
    described: dict[Key, Tensor] = field(default_factory=dict)
    on_tensors: dict[Tensor, dict[str, Ref]] = field(default_factory=dict)
    kept: list[Binding] = field(default_factory=list)
    alive: dict[int, object] = field(default_factory=dict)
    asked_need: dict[Key, Tensor] = field(default_factory=dict)
    hooked: list[list[Ref]] = field(default_factory=list)
    grad_hooks: dict[AutogradMeta, list[tuple[Ref, Ref]]] = field(default_factory=dict)
    turns: int = USUAL_TURNS
    looping: ir.Node | None = None
    shortened: list[int] = field(default_factory=list)
    last_turn: bool = False
    later: bool = False
    catching: int = 0
    prepared: list[tuple[int, int]] = field(default_factory=list)
    stack: list[Frame] = field(default_factory=list)
    past: list[Frame] = field(default_factory=list)
    executed: set[ir.Function] = field(default_factory=set)
    unended: set[ir.Function] = field(default_factory=set)
    given_cut: set[ir.Function] = field(default_factory=set)
    given: dict[Site, Needing] = field(default_factory=dict)
    stood_in: set[ir.Node] = field(default_factory=set)
    brought: set[Class] = field(default_factory=set)
    reached: set[ir.Stmt] = field(default_factory=set)
    met: dict[ir.Node, int] = field(default_factory=dict)
    closing: list[object] = field(default_factory=list)
    custom: list[Node] = field(default_factory=list)
    first_of: ir.Expr | None = None
    emptied: dict[object, tuple[int, int]] = field(default_factory=dict)
    taken_for: dict[Hashable, Hashable] = field(default_factory=dict)
    entering: Callable[[Frame], None] | None = None
    displayed: tuple[Value, list[Ref]] | None = None
    returned: Ref | None = None
    in_view: tuple[frozenset[ir.Function], frozenset[ir.Node]] | None = None
    on_data: bool = False
    observe: Callable[[Run, ir.Stmt], None] | None = None
    look: Callable[[Run, ir.Expr, Ref], None] | None = None

    @property
    def frame(self) -> Frame:
        """The innermost frame."""
        return self.stack[-1]

    def evaluate(self, node: ir.Expr) -> Ref:
        """What an expression refers to."""
        raise NotImplementedError

    def value_of(self, node: ir.Expr) -> Value:
        """The value of an expression, without its binding."""
        raise NotImplementedError

    def execute(self, statement: ir.Stmt) -> None:
        """Execute one statement."""
        raise NotImplementedError

    def execute_block(self, body: tuple[ir.Stmt, ...]) -> None:
        """Execute statements in order."""
        raise NotImplementedError

    def call(self, function: Ref, arguments: Arguments, node: ir.Node) -> Ref:
        """Call any value."""
        raise NotImplementedError

    def call_function(
        self, function: Function, arguments: Arguments, node: ir.Node, receiver: Ref | None = None
    ) -> Ref:
        """Call a function of the program."""
        raise NotImplementedError

    def call_method(self, method: Builtin, arguments: Arguments, node: ir.Node) -> Ref:
        """Call a method that no function of the program defines."""
        raise NotImplementedError

    def has_method(self, instance: Instance, name: str) -> bool:
        """Whether an object has a method from a library class, and it is understood."""
        raise NotImplementedError

    def special_method(self, receiver: Ref, name: str, extra: tuple[Ref, ...], node: ir.Node) -> Ref | None:
        """Call `__getitem__` and its like on an object of the program; None if it has none."""
        raise NotImplementedError

    def call_module(self, ref: Ref, module: Instance, arguments: Arguments, node: ir.Node) -> Ref:
        """Run `forward` of a module."""
        raise NotImplementedError

    def call_library(self, name: str, arguments: Arguments, node: ir.Node) -> Ref:
        """Call a function of a library by its qualified name."""
        raise NotImplementedError

    def call_builtin(self, name: str, arguments: Arguments, node: ir.Node) -> Ref:
        """Call `len`, `zip`..."""
        raise NotImplementedError

    def get_attribute(self, ref: Ref, name: str, node: ir.Node) -> Ref:
        """What `value.name` refers to."""
        raise NotImplementedError

    def set_attribute(self, base: Ref, name: str, ref: Ref, node: ir.Node) -> None:
        """`value.name = ...`."""
        raise NotImplementedError

    def elements(self, ref: Ref, node: ir.Node) -> List:
        """What iterating over a value gives, as a list; `open` if there may be more."""
        raise NotImplementedError

    def all_elements(self, ref: Ref, node: ir.Node) -> List:
        """The elements of what is taken as a whole before any is used: what a generator wrote, it has written."""
        value = resolve(ref.value)
        return value if isinstance(value, List) and value.yielded else self.elements(ref, node)

    def enter_manager(self, function: Function, arguments: Arguments, node: ir.Node, receiver: Ref | None) -> Native:
        """What a generator that is a context manager gives."""
        raise NotImplementedError

    def in_turn(self, function: Function, arguments: Arguments, node: ir.Node, receiver: Ref | None) -> Native:
        """What a generator gives to a loop."""
        raise NotImplementedError

    def passing(self, node: ir.Node, *refs: Ref) -> Arguments:
        """Positional arguments made of references."""
        return Arguments([Passed(ref, node, "", self.torch.clock) for ref in refs])

    def close(self) -> None:
        """Let go of everything: in circles, it would wait for the garbage collector, which takes longer."""
        for event in self.torch.trace.events:
            if isinstance(event, Write):
                event.storage.writes.clear()
                written = event.operand.tensor.autograd_meta.node
                if written is not None:
                    written.write = None
        self.torch.trace.events.clear()
        self.returned = self.displayed = None
        for frame in (*self.past, *self.frames.values()):
            frame.variables.clear()
        for binding in self.kept:
            binding.source = None
        for hooks in self.hooked:
            hooks.clear()
        for node in self.custom:
            node.custom = None
        mine = (self.kept, self.alive, self.past, self.frames, self.members, self.stack, self.closing, self.buffers)
        others = (self.grad_hooks, self.parameters, self.described, self.on_tensors, self.asked_need)
        for left in (*mine, *others, self.proven.guessed):
            left.clear()

    def made_up(self, storage: Storage) -> bool:
        """Whether memory belongs to the object that a method is run on."""
        return self.was_preparing(storage.made_at)

    def was_preparing(self, time: int) -> bool:
        """Whether that object was being made up."""
        return any(first <= time <= last for first, last in self.prepared)

    def site(self, node: ir.Node) -> Site:
        """Where a node of the running file stands; where a user's file calls what runs, if that is of a library."""
        if self.frame.module.library:
            for frame in (*reversed(self.stack), self.frames.get(self.frame.module.path)):
                if frame is not None and frame.called_at is not None:
                    return frame.called_at
        return Site(self.frame.module.path, node.span)

    def spelled(self, node: ir.Node) -> str:
        """How a message calls an expression of the running file; "" in a stub, which no user has read."""
        return "" if self.frame.module.library else ir_text(node)

    def key(self, node: ir.Node) -> Made:
        """A key for what `node` makes now: the same on another path that comes here as often."""
        count = self.met[node] = self.met.get(node, 0) + 1
        return Made(node, count)

    def unknown(
        self,
        key: Hashable,
        label: str = "",
        history: tuple[Node | AutogradMeta, ...] = (),
        is_data: bool = False,
        is_mapped: bool = False,
        first: bool = False,
    ) -> Value:
        """An unknown; a tensor if an earlier run has proved it to be one.

        `first`: it is the first argument of a function.
        """
        made = Unknown(key_of(key), label, history=history, is_mapped=is_mapped)
        made.is_data = (
            is_data or names_data(label, first) or names_setting(label) or IsData(made.key) in self.proven.facts
        )
        if made.key in self.proven.facts:
            self.promote(made, None)
        else:
            self.proven.note_read(made.key)
        return made

    def promote(self, unknown: Unknown, site: Site | None) -> Tensor:
        """Evidence shows that an unknown is a tensor."""
        if unknown.tensor is None:
            place = site or Site(self.frame.module.path if self.stack else "", Span(1, 1, 1, 1))
            is_data = self.on_data or unknown.is_data
            need = NO if is_data else assumed(named(unknown.label), of=parameters_of(unknown.key))
            made = unknown.key.made
            told = tensor_facts(made)
            unknown.tensor = self.torch.unknown(place, need, label=unknown.label, external=True, **told)
            unknown.tensor.inference &= not isinstance(made, Attribute)  # It was there before, most likely.
            if unknown.is_mapped and self.torch.mapped is not None:
                self.torch.mapped.add(unknown.tensor.storage)
            if unknown.history and unknown.tensor.autograd_meta.node is not None:
                unknown.tensor.autograd_meta.node.inputs = unknown.history
            self.proven.tensor(unknown.key)
        return unknown.tensor

    def guess(self, unknown: Unknown, site: Site) -> Value:
        """A method is called of a name that tensors have, and little else: a tensor, unless that has been ruled out."""
        ruled_out = unknown.not_tensor or NoTensor(unknown.key) in self.proven.facts or is_value(unknown.key)
        if unknown.tensor is None and ruled_out:
            return unknown
        tensor = self.promote(unknown, site)
        self.proven.guessed[tensor] = unknown.key
        return tensor

    def bind(
        self, frame: Frame, name: str, value: Value, site: Site, given: Ref | None, kind: BindingKind = "name"
    ) -> Ref:
        """Give a variable a value, that of a reference if it has one.

        The names of a stub are only notation: what is in the caller's place stays there.
        """
        source, way = (given.binding, given.way) if given is not None else (None, None)
        if frame.module.library and not frame.is_module:
            made = frame.variables[name] = Ref(value, source, way)
            return made
        binding = Binding(self.place(frame, name), name, kind, self.torch.tick(), site, source, frame.depth, way=way)
        binding.container = source.container if source is not None and source.kind == "element" else ""
        binding.note_use()
        ref = Ref(value, binding)
        frame.variables[name] = ref
        tensor = resolve(value)
        if isinstance(tensor, Dict) and frame.is_module:
            tensor.is_global = True
        if isinstance(tensor, Tensor):
            binding.region, binding.detached = tensor.region, tensor.detached_from is not None
            tensor.label = tensor.label or name
        self.hold(binding, value, site)
        return ref

    def known(self, value: object) -> int:
        """The identity of an object, which stays alive as long as the run: another one might get the same."""
        self.alive[id(value)] = value
        return id(value)

    def place(self, owner: object, key: object) -> tuple[object, object]:
        """Where an object keeps something, as long as the run lasts."""
        return self.known(owner), key

    def ref(
        self,
        place: tuple[object, object],
        label: str,
        kind: BindingKind,
        value: Value,
        site: Site | None,
        given: Ref | None,
        keeper: Keeper = "",
    ) -> Ref:
        """An attribute or element with a value, that of a reference if it has one."""
        depth = self.frame.depth if self.stack else 0
        source, way = (given.binding, given.way) if given is not None else (None, None)
        binding = Binding(place, label, kind, self.torch.tick(), site, source, depth, keeper=keeper, way=way)
        tensor = resolve(value)
        if isinstance(tensor, Tensor):
            binding.region, binding.detached = tensor.region, tensor.detached_from is not None
        return Ref(value, binding)

    def store(
        self,
        place: tuple[object, object],
        label: str,
        kind: BindingKind,
        value: Value,
        site: Site,
        given: Ref | None,
        keeper: Keeper = "",
    ) -> Ref:
        """An attribute or element that is given a value, and keeps the tensors in it."""
        made = self.ref(place, label, kind, value, site, given, keeper)
        assert made.binding is not None
        made.binding.note_use()
        self.kept.append(made.binding)
        self.hold(made.binding, value, site)
        return made

    def hold(self, binding: Binding, value: Value, site: Site) -> None:
        """Note that a place holds the tensors in a value."""
        held = resolve(value.receiver.value if isinstance(value, Builtin) else value)
        if isinstance(held, Tensor):
            self.torch.trace.events.append(Bind(self.torch.clock, site, self.torch.stack, binding, held))
            return
        if not isinstance(held, (List, Dict, Partial)) or (not isinstance(held, Partial) and not held.items):
            self.emptied[binding.place] = (self.torch.clock, site.span.row)
            return
        for inner, _ in tensors_of(held, 16):
            tensor = resolve(inner.value)
            assert isinstance(tensor, Tensor)
            self.torch.trace.events.append(Bind(self.torch.clock, site, self.torch.stack, binding, tensor))

    def operand(self, ref: Ref, site: Site, text: str, evaluated_at: int | None = None) -> Operand | None:
        """A tensor as an op receives it; None if the value is no tensor."""
        tensor = resolve(ref.value)
        if not isinstance(tensor, Tensor):
            return None
        at = self.torch.clock if evaluated_at is None else evaluated_at
        return Operand(tensor, site, ref.binding, at, text, ref.way)
