"""The events of a run, abstract or real: the input of the rules.

The interpreter emits them for one path of one entry point; the runtime recorder emits the same
from a real run. A rule reads a `Trace` and never sees source code, files or configuration.

An event is final once it is part of a trace: its facts are set before, and facts that are learnt later, such as the use
of a result, are in the trace's `Results`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from inplace_lint.effort import Effort, unlimited
from inplace_lint.source.installed import folder_of
from inplace_lint.source.place import Site
from inplace_lint.torch_model.operands import Binding, Operand
from inplace_lint.torch_model.tensor import Assumption, RequiresGrad, Save, Storage, Tensor

Answer = TypeVar("Answer")
Certainty = Literal["certain", "assumed"]
Refused = Literal[
    "leaf",
    "leaf-view",
    "multi-view",
    "no-grad-view",
    "custom-view",
    "expanded",
    "overlap",
    "out-with-grad",
    "inference",
    "hooked",
    "stale-view",
    "detached-view",
    "inference-saved",
    "unmapped",
    "captured",
]
Mark = Literal[
    "cloned",
    "replayed",
    "transformed",
    "unmarked",
    "after-save",
    "custom",
    "masked",
    "scattered",
    "loaded",
    "torn",
    "moved",
    "refetched",
    "unmoved",
    "renewed",
    "handed-over",
    "of-sum",
    "decoding",
    "evaluated",
    "repeated",
    "added-to-zeros",
    "of-saved",
]
ReturnAliasing = Literal["nothing", "number", "measure", "other"]
Via = Literal["backward", "grad", "return"]
Use = Literal["statement", "rebound", "bound", "expression", "returned"]

MODULE = "<module>"
"""The entry point that is a module itself, by its statements."""


@dataclass(slots=True, eq=False)
class Event:
    """What all events share: when in the trace, where in the source, how deep in calls."""

    time: int
    site: Site
    stack: tuple[Site, ...]


@dataclass(slots=True, eq=False)
class Bind(Event):
    """A binding was given a tensor, or something that holds one."""

    binding: Binding
    tensor: Tensor


@dataclass(slots=True, eq=False)
class Read(Event):
    """An op, a return or an unknown callee read the values of a tensor.

    `reader` names what read it (`torch.cat`, `return`); `statement` is the time at which the
    statement around it began; `overwrites` marks the old value that an in-place op starts from; `twin` is
    the same tensor once more, with which it is compared, or where it is put.
    """

    operand: Operand
    reader: str
    statement: int
    grad_mode: bool = True
    overwrites: bool = False
    calls: tuple[int, ...] = ()
    twin: Operand | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why PyTorch refuses a write: the kind, how certain, and under which assumptions."""

    kind: Refused
    certainty: Certainty
    assumptions: tuple[Assumption, ...] = ()
    origin: Site | None = None


@dataclass(slots=True)
class Results:
    """What came of the calls and writes of a trace: what is learnt later than they happened.

    Args:
        gave: by the time at which it began, what a call gave that was nothing of the memory it was given; `measure` is
            what a function gives that is named for looking at things.
        returned: by the time at which it began, the memory of the tensors that a call gave.
        scalars: the times at which calls began that gave other memory, each tensor of which is one number.
        getters: the times at which calls began of functions named for getting, which gave tensors.
        discarded: the places of calls that are statements: nobody takes their results.
        products: by the time at which it began, when a call last kept something in an object or list of its caller's.
        put_back: the places of calls whose result is assigned to where an argument came from, with how that is spelled.
        stubs: the places of calls of libraries, read from stubs, with the module of what was called.
        objects: those of them that gave something else than a tensor.
        uses: by the time of a write, or of a `detach_`, what became of the op's result.
        marks: by the time of a write, further facts that rules ask for.
    """

    gave: dict[int, ReturnAliasing] = field(default_factory=dict)
    returned: dict[int, set[Storage]] = field(default_factory=dict)
    scalars: set[int] = field(default_factory=set)
    getters: set[int] = field(default_factory=set)
    discarded: set[Site] = field(default_factory=set)
    products: dict[int, int] = field(default_factory=dict)
    put_back: dict[Site, frozenset[str]] = field(default_factory=dict)
    stubs: dict[Site, str] = field(default_factory=dict)
    objects: set[Site] = field(default_factory=set)
    uses: dict[int, Use] = field(default_factory=dict)
    marks: dict[int, frozenset[Mark]] = field(default_factory=dict)

    def is_for_argument(self, call: Site) -> bool:
        """Whether a call changes what it was given for the caller, who discards the result or puts it back."""
        return call in self.discarded or call in self.put_back


@dataclass(slots=True, eq=False)
class Write(Event):
    """An op modified a storage.

    Args:
        op: qualified name of the op (`torch.Tensor.mul_`), or a Python form (`+=`, `[]=`).
        operand: what was written, and through which binding.
        storage: the memory.
        counted: the version counter saw it (False through `.data` or NumPy memory).
        grad_mode: whether gradients were being recorded.
        meant: what the op itself tells of the use of its result.
        filler: an op whose purpose is the write (`copy_`, `zero_`, `nn.init`).
        refusal: why PyTorch raises here, if it does.
        certain: False if the memory was perhaps another one (`reshape`, an unknown branch).
        documented: it is inside a callee whose name or arguments say that it writes (`foo_`).
        results: what came of the calls of the trace.
        statement: time at which the statement around it began.
        calls: times at which the calls of the stack began.
        fetching: time at which the `__getitem__` began that it is part of, or the `collate_fn` that was given the item.
        rows_shared: other elements of an expanded tensor changed with it.
        others: the op's operands besides the written one.
        source: what `x.data = source` puts in the place of the memory.
        terms: what these were computed from in the same statement, as far as it was read last.
        marked: further facts that rules ask for, as far as they are known when it happens.
        had_need: whether the written tensor required grad before.
        alike: what must hold for its memory to be that of what was converted (`Storage.alike`), or for a layer of a
            class that nobody knows to write.
        built: where the module that wrote (`nn.ReLU(inplace=True)`) was constructed.
    """

    op: str
    operand: Operand
    storage: Storage
    counted: bool
    grad_mode: bool = True
    statement: int = 0
    had_need: RequiresGrad | None = None
    meant: Use = "expression"
    filler: bool = False
    refusal: Refusal | None = None
    certain: bool = True
    documented: bool = False
    calls: tuple[int, ...] = ()
    fetching: int | None = None
    rows_shared: bool = False
    others: tuple[Operand, ...] = ()
    source: Operand | None = None
    terms: tuple[Operand, ...] = ()
    marked: frozenset[Mark] = frozenset()
    results: Results = field(default_factory=Results)
    alike: tuple[Assumption, ...] = ()
    built: Site | None = None

    @property
    def place(self) -> Site:
        """Where a user mends it: the construction of the module that writes, if it stands in the same file.

        A library may use a module that it was passed; then, too.
        """
        built, site = self.built, self.site
        if built is None or (built.path != site.path and (folder_of(built.path) or not folder_of(site.path))):
            return site
        return built

    @property
    def chain(self) -> tuple[int, str, int, int]:
        """The same for all writes of a chain such as `x.mul_(2).add_(1)`, which is one cause."""
        return id(self.storage), self.site.path, self.site.span.row, self.site.span.column

    def gave(self, depth: int) -> ReturnAliasing | None:
        """What a call of the stack gave; None for memory that it was given."""
        gives = self.results.gave.get(self.calls[depth])
        return "nothing" if gives is None and self.stack[depth] in self.results.discarded else gives

    @property
    def use(self) -> Use:
        """What became of the op's result."""
        return self.results.uses.get(self.time, self.meant)

    def note_use(self, use: Use) -> None:
        """It is seen what becomes of the result."""
        self.results.uses[self.time] = use

    @property
    def marks(self) -> frozenset[Mark]:
        """Further facts that rules ask for."""
        learnt = self.results.marks.get(self.time)
        return self.marked if learnt is None else self.marked | learnt

    def note(self, mark: Mark) -> None:
        """A further fact is learnt."""
        self.results.marks[self.time] = self.results.marks.get(self.time, frozenset()) | {mark}

    @property
    def is_refused(self) -> bool:
        """Whether PyTorch surely raises here."""
        return self.refusal is not None and self.refusal.certainty == "certain"


@dataclass(slots=True, eq=False)
class RefusedUse(Event):
    """PyTorch raises here although nothing is written, such as when a result of `chunk` is used late."""

    refusal: Refusal


@dataclass(slots=True, eq=False)
class StaleSave:
    """A saved tensor that was overwritten before backward read it."""

    save: Save
    write: Write
    certainty: Certainty
    assumptions: tuple[Assumption, ...]


@dataclass(slots=True, eq=False)
class Backward(Event):
    """A backward pass, or a result that leaves the entry point for its caller to differentiate.

    `stale` lists saves that the version check refuses, `hidden` those overwritten unseen.
    `targets` are the tensors that `torch.autograd.grad` was asked about. `kept` are the writes by which
    what an earlier pass released is still in the graph: PyTorch raises. So it does where the graph is `cut`: a root
    requires no gradient, or a target has none.
    """

    via: Via
    stale: list[StaleSave]
    hidden: list[StaleSave]
    targets: list[Operand] = field(default_factory=list)
    kept: list[Write] = field(default_factory=list)
    cut: bool = False


@dataclass(slots=True, eq=False)
class DiscardedResult(Event):
    """A statement was nothing but a method of a tensor that gives another one; `text` is how that is spelled."""

    op: str
    text: str


@dataclass(slots=True, eq=False)
class OwnState(Event):
    """A model loads, at `loaded`, what an object has kept as `text` of its own state, which is its own memory."""

    text: str
    loaded: Site


@dataclass(slots=True, eq=False)
class Untrainable(Event):
    """A parameter was made of memory that its elements share, where `origin` says: optimizers cannot write that."""

    tensor: Tensor
    storage: Storage
    origin: Site | None


@dataclass(slots=True, eq=False)
class Detach(Event):
    """`detach_` took a tensor out of the graph, for all who hold it: backward has not come through it yet.

    `need` is what it required before. What became of the result is in the trace's `Results`.
    """

    operand: Operand
    need: RequiresGrad


@dataclass(slots=True, eq=False)
class Escape(Event):
    """A tensor was handed to code that is not in view."""

    operand: Operand
    to: str


@dataclass(slots=True, eq=False)
class Judged:
    """What decided about a read that comes after a write to its memory.

    Args:
        read: the read.
        write: the write.
        reason: the name of the reason.
        says: the reason, as a sentence.
        reported: whether the read is stale.
    """

    read: Read
    write: Write
    reason: str
    says: str
    reported: bool


@dataclass(slots=True)
class Trace:
    """The events of one path, in order, from an entry point of that name.

    `effort` is what looking at them may still cost. `answers` has what was asked, and of how many events;
    `judged` what decided about each read of overwritten memory, if somebody wants to know. `supposes`: writes
    rest on what was supposed of their memory (`Write.alike`). `collected`: an inherited method calls the entry point
    with arguments that it has collected.
    """

    entry: str
    events: list[Event] = field(default_factory=list)
    results: Results = field(default_factory=Results)
    complete: bool = True
    supposes: bool = False
    collected: bool = False
    answers: dict[object, tuple[int, Any]] = field(default_factory=dict)
    judged: list[Judged] | None = None
    effort: Effort = field(default_factory=unlimited)

    def once(self, question: Callable[[Trace], Iterable[Answer]]) -> tuple[Answer, ...]:
        """The answers to a question that several rules ask; it is asked anew only if events have come since."""
        known = self.answers.get(question)
        if known is None or known[0] != len(self.events):
            known = self.answers[question] = (len(self.events), tuple(question(self)))
        answers: tuple[Answer, ...] = known[1]
        return answers

    def changes_since(self, time: int) -> Iterator[Write | Detach]:
        """The writes after a time, and what `detach_` has changed, latest first."""
        for event in reversed(self.events):
            if event.time <= time:
                return
            if isinstance(event, (Write, Detach)):
                yield event

    def runs_backward(self) -> bool:
        """Whether `backward()` has been called in view."""
        return any(isinstance(event, Backward) and event.via == "backward" for event in self.events)

    def writes_since(self, time: int) -> Iterator[Write]:
        """The writes after a time, latest first."""
        return (event for event in self.changes_since(time) if isinstance(event, Write))
