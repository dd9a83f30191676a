"""What a variable may hold while a program is interpreted.

Numbers, strings, `None` and other constants stand for themselves; tensors are `Tensor`s. The rest is here. A value that
is not known is `Unknown`. Every variable holds a `Ref`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from inplace_lint.interpret.state.annotation import Annotation
from inplace_lint.interpret.state.keys import Itself, Key, Named, Tuple, Values
from inplace_lint.interpret.state.program import ModuleFile
from inplace_lint.source import ir
from inplace_lint.source.place import Site
from inplace_lint.torch_model.constant import Constant
from inplace_lint.torch_model.events import MODULE
from inplace_lint.torch_model.modes import UNCHANGED, GradMode
from inplace_lint.torch_model.operands import Binding, Way
from inplace_lint.torch_model.spellings import has_forward
from inplace_lint.torch_model.tensor import AutogradMeta, Node, Tensor

Value = object


@dataclass(slots=True, eq=False)
class Ref:
    """A reference to a value, as an expression gives it: with the binding that it was read from, if there is one.

    `way` is how that binding was reached, if it is an attribute or element of something that has a name.
    """

    value: Value
    binding: Binding | None = None
    way: Way | None = None

    def has(self, part: Ref) -> Ref:
        """An attribute or element of the value, as reached from here; what has no name is passed over."""
        way = Way(self.binding, self.way) if self.binding is not None else self.way
        if way is None or not isinstance(resolve(part.value), (Tensor, List, Dict, Instance)):
            return part
        return Ref(part.value, part.binding, way)


@dataclass(slots=True, eq=False)
class Unknown:
    """A value of which nothing is known but where it comes from.

    `key` is the same wherever it is met again. Evidence may show that it is a tensor; then `tensor` is what readers
    get. `history` is that of the tensors that a callee out of view made it from. `is_data` says that it requires no
    grad if it is a tensor; `is_mapped`, that `vmap` maps it; `is_whole`, that it is an integer; `usual` is its default.
    `parts` are its attributes and items that were read or set; `annotation` is what it is declared to be; `stand_in` is
    the object made up for it.
    """

    key: Key
    label: str = ""
    tensor: Tensor | None = None
    not_tensor: bool = False
    history: tuple[Node | AutogradMeta, ...] = ()
    is_data: bool = False
    is_mapped: bool = False
    is_whole: bool = False
    usual: float | None = None
    parts: dict[Hashable, Ref] = field(default_factory=dict)
    annotation: Annotation | None = None
    stand_in: Instance | None = None


@dataclass(slots=True, eq=False)
class Option:
    """A parameter with a default: it has that value until a path takes a test of it the other way.

    Args:
        key: what it is where it is given.
        value: what it is on this path.
        given: on this path the caller passes it, with another value than the default.
    """

    key: Key
    label: str
    value: Value
    given: bool = False


# So many elements are known of a list that the program makes longer: doubled thirty times, it would fill the memory.
MOST_ITEMS = 200


@dataclass(slots=True, eq=False)
class List:
    """A list, tuple, set or generator. With `open`, more elements may follow the known ones.

    `fields` and `cls` are those of a named tuple; `yielded` says that a generator of the program gave the elements
    one after the other. A `deque` keeps `most` elements; so many as `dropped` have left at its front. A list of a size
    that is not known was made with `count` elements. `chosen`: where unknown positions, or starts in a ring, were put.
    """

    kind: Literal["list", "tuple", "set", "generator"]
    items: list[Ref] = field(default_factory=list)
    open: bool = False
    fields: tuple[str, ...] = ()
    yielded: bool = False
    cls: Class | None = None
    most: int | None = None
    dropped: int = 0
    count: Hashable = None
    chosen: dict[Hashable, int] = field(default_factory=dict)

    def grow(self, items: Sequence[Ref], more: bool = False) -> None:
        """Put elements behind the others; `more` if others may follow."""
        room = max(MOST_ITEMS - len(self.items), 0)
        self.items.extend(items[:room])
        self.open = self.open or more or len(items) > room
        while self.most is not None and len(self.items) > self.most:
            self.drop_first()

    def drop_first(self) -> Ref:
        """Take the first element out."""
        self.dropped += 1
        self.chosen.clear()
        return self.items.pop(0)


@dataclass(slots=True, eq=False)
class Dict:
    """A dict.

    Args:
        open: there may be other entries.
        is_global: it belongs to a module.
        makes: what makes the values of keys that are not there (`defaultdict`); None if nothing does.
        rest: the unknown mapping that it is a shallow copy of; None if it copies nothing.
        taken_for: which keys those were taken for that nobody knows.
    """

    items: dict[Hashable, Ref] = field(default_factory=dict)
    open: bool = False
    is_global: bool = False
    makes: Value = None
    rest: Ref | None = None
    taken_for: dict[Hashable, Hashable] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Frame:
    """The variables of a running function, class body or module.

    `yields` are what a generator has given so far; `around` runs the block that a context manager stands around, and
    is given what it yields; `each` runs the body of the loop that takes what is yielded. `recorded` tells whether
    gradients were recorded where it was called, `began` when that was; `called_at` is where a file of the user's calls
    the stub that runs. The variables of a class body (`of_class`) are unseen from what is inside it.
    """

    module: ModuleFile
    name: str
    parent: Frame | None = None
    variables: dict[str, Ref] = field(default_factory=dict)
    globals_declared: set[str] = field(default_factory=set)
    depth: int = 0
    yields: list[Ref] | None = None
    around: Callable[[Ref], None] | None = None
    each: Callable[[Ref], None] | None = None
    code: ir.Function | None = None
    self_class: Class | None = None
    recorded: bool = True
    began: int = 0
    called_at: Site | None = None
    of_class: bool = False
    wraps: bool = False  # decorators have made what it runs, around another function

    @property
    def is_module(self) -> bool:
        """Whether these are the variables of a module."""
        return self.name == MODULE


@dataclass(slots=True, eq=False)
class Function:
    """A function of the program, with the frame that it closes over.

    `wrapper` is what decorators have made of it, which is called instead, and `wraps`; `inner` is what they were given.
    """

    code: ir.Function
    module: ModuleFile
    closure: Frame | None = None
    owner: Class | None = None
    defaults: dict[str, Value] = field(default_factory=dict)
    decoration: tuple[str, ...] = ()
    mode: GradMode = UNCHANGED
    wrapper: Function | None = None
    inner: Function | None = None
    wraps: bool = False


# A look-up asks so many classes.
_MOST_BASES = 50


@dataclass(slots=True, eq=False)
class Class:
    """A class of the program.

    Args:
        frame: what its body has bound.
        late: statements of its body that each run executes for itself, when it asks for what they bind.
        inherited: its bases of the program, and theirs, in the order of a look-up.
        lasts: whether it is the same in all runs, once somebody has asked.
        behind_layers: those of its bases before which a layer of PyTorch is asked for its `forward`.
    """

    code: ir.ClassDef
    module: ModuleFile
    bases: tuple[Value, ...]
    frame: Frame
    library_bases: tuple[str, ...] = ()
    late: tuple[ir.Stmt, ...] = ()
    inherited: tuple[Class, ...] = ()
    lasts: bool | None = None
    behind_layers: frozenset[Class] = frozenset()

    def __post_init__(self) -> None:
        inherited = [each for base in self.bases if isinstance(base, Class) for each in base.lineage]
        behind, layered = set[Class](), False
        for base in self.bases:
            layered = layered or (isinstance(base, Library) and has_forward(base.name))
            if isinstance(base, Class):
                behind.update(base.lineage if layered else base.behind_layers)
        self.behind_layers = frozenset(behind)
        # Depth first, the last of repeats.
        self.inherited = tuple(reversed(dict.fromkeys(reversed(inherited))))[:_MOST_BASES]

    @property
    def lineage(self) -> tuple[Class, ...]:
        """The class and its bases of the program, in the order of a look-up."""
        return (self, *self.inherited)


_LATE = Ref(None)  # keeps the place of an attribute that is not made yet


@dataclass(slots=True, eq=False)
class Instance:
    """An object of a class of the program, or of a library class that is understood.

    Args:
        cls: the class; a dotted name for a library's.
        held: its attributes that have been made, by name.
        late: what makes the others.
        deferred: calls of its constructor that wait until somebody asks for an attribute that it lacks.
        computed: what to call for those that are made anew whenever somebody asks for them.
        children: of a container of modules.
        guess: made up; what is not set on it is unknown.
        built: where a module of the library was constructed.
        asked: an option of the program, which is given, has asked a layer to write.
        by_unknown_name: what `setattr` has given it under names that nobody knows, by these.
        brought: made up for an argument.
        stands_in: a layer of `torch.nn` for one of a class that nobody knows.
        declared: the attributes that it has as a property declares, until it is called, and how often they were made.
    """

    cls: Class | str
    held: dict[str, Ref] = field(default_factory=dict)
    children: List | Dict | None = None
    guess: bool = False
    key: Hashable = None
    label: str = ""
    built: Site | None = None
    asked: bool = False
    late: dict[str, Callable[[], None]] = field(default_factory=dict)
    deferred: list[Callable[[], None]] = field(default_factory=list)
    computed: dict[str, Ref] = field(default_factory=dict)
    by_unknown_name: dict[Key, Ref] = field(default_factory=dict)
    brought: bool = False
    stands_in: bool = False
    declared: dict[str, int] = field(default_factory=dict)

    @property
    def attributes(self) -> dict[str, Ref]:
        """All attributes that are set on it, by name, in the order in which they were set."""
        self.make_deferred()
        for name in tuple(self.late):
            self.attribute(name)
        return self.held

    def make_deferred(self) -> bool:
        """Make the calls that its constructor has deferred, and tell whether there were any."""
        calls, self.deferred = self.deferred, []
        for call in calls:
            call()
        return bool(calls)

    def attribute(self, name: str) -> Ref | None:
        """One that is set on it, or None."""
        make = self.late.pop(name, None)
        if make is not None:
            make()
            if self.held.get(name) is _LATE:
                del self.held[name]
        found = self.held.get(name)
        return found if found is not _LATE else None

    def has(self, name: str) -> bool:
        """Whether one is set on it, or computed."""
        return name in self.computed or self.attribute(name) is not None

    def postpone(self, name: str, make: Callable[[], None]) -> None:
        """Set an attribute when somebody asks for it."""
        self.attribute(name)  # what it had before comes first
        self.late[name] = make
        self.held.setdefault(name, _LATE)

    def give(self, name: str, ref: Ref) -> None:
        """Set an attribute."""
        self.late.pop(name, None)
        self.held[name] = ref

    def take(self, name: str) -> None:
        """Delete an attribute, if it has one of that name."""
        for attributes in (self.late, self.held, self.computed):
            attributes.pop(name, None)


@dataclass(slots=True, eq=False)
class Library:
    """Something of a library, by its qualified name (`torch.nn.functional.relu`)."""

    name: str


@dataclass(slots=True, eq=False)
class Method:
    """A function bound to its first argument."""

    function: Function
    receiver: Ref


@dataclass(slots=True, eq=False)
class Builtin:
    """A method of a value that the interpreter understands itself (`x.add_`, `layers.append`)."""

    receiver: Ref
    name: str


@dataclass(slots=True, eq=False)
class Partial:
    """`functools.partial` and its like."""

    function: Value
    args: list[Ref]
    keywords: dict[str, Ref]


@dataclass(slots=True, eq=False)
class Super:
    """`super()` in a method."""

    owner: Class
    receiver: Ref


@dataclass(slots=True, eq=False)
class Native:
    """A callable that the interpreter made up (`model.register_hook`'s handle, a context).

    `around`, of a context manager of the program, runs a block inside of it; of a generator, for each that it yields.
    `mode` is what a `with` switches to; `fields` are those of a class of named tuples.
    """

    name: str
    call: Callable[..., Value] | None = None
    around: Callable[[Callable[[Ref], None]], None] | None = None
    mode: GradMode = UNCHANGED
    fields: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)
class Passed:
    """An argument of a call: a reference to it, where it stands, how it is spelled, when it was evaluated."""

    ref: Ref
    node: ir.Node
    text: str
    at: int


@dataclass(slots=True, eq=False)
class Arguments:
    """The arguments of a call.

    Args:
        open: `*args` or `**kwargs` of unknown content were among them.
        unplaced: what `**kwargs` had under names that nobody knows.
    """

    positional: list[Passed] = field(default_factory=list)
    keywords: dict[str, Passed] = field(default_factory=dict)
    open: bool = False
    unplaced: list[Ref] = field(default_factory=list)

    def all(self) -> list[Passed]:
        """Every argument."""
        return [*self.positional, *self.keywords.values()]

    def get(self, index: int | None, name: str) -> Value:
        """The value passed at a position (None: it has none) or by name; None if neither."""
        if name in self.keywords:
            return self.keywords[name].ref.value
        return self.positional[index].ref.value if index is not None and index < len(self.positional) else None

    def split(self, name: str) -> tuple[Passed | None, Arguments]:
        """The argument that comes first or is passed as `name`, if there is one, and all others."""
        if self.positional:
            return self.positional[0], Arguments(self.positional[1:], self.keywords, self.open)
        others = {key: passed for key, passed in self.keywords.items() if key != name}
        return self.keywords.get(name), Arguments([], others, self.open)


def resolve(value: Value) -> Value:
    """What a value is on this path: an unknown may have turned out to be a tensor, an option to be given."""
    if isinstance(value, Option):
        value = value.value
    if isinstance(value, Unknown):
        return value.tensor or value.stand_in or value
    return value


def identity(value: Value, depth: int = 3) -> Hashable:
    """A key that tells whether a condition's operands are the same as before; of tuples, so many levels deep."""
    value = resolve(value)
    if isinstance(value, Unknown) or (isinstance(value, Instance) and value.key is not None):
        return value.key
    if isinstance(value, Tensor):
        return Values(value.storage.key, value.counter.value, value.region)
    if isinstance(value, Library):
        return Named(value.name)
    if isinstance(value, List) and value.kind == "tuple" and not value.open and depth and len(value.items) < 32:
        return Tuple(tuple([identity(ref.value, depth - 1) for ref in value.items]))
    try:
        hash(value)
    except TypeError:
        return Itself(id(value))
    return Constant(value)
