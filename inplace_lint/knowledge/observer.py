"""Looks on while the entry points of a file run, and notes what is known of each expression."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from inplace_lint.interpret.analysis.entries import Entry
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import (
    Builtin,
    Class,
    Frame,
    Function,
    Instance,
    Library,
    Method,
    Native,
    Partial,
    Ref,
    Unknown,
    resolve,
)
from inplace_lint.knowledge.course import Course
from inplace_lint.knowledge.facts import Counting, Deed, Kind, Known, Other, Source, State
from inplace_lint.knowledge.marks import Marks
from inplace_lint.knowledge.sight import Sight, sight_of
from inplace_lint.knowledge.writing import Locate, consequence, known_counters, saved
from inplace_lint.source import ir
from inplace_lint.source.place import Site, Span
from inplace_lint.source.spelling import ir_text
from inplace_lint.torch_model.op_names import EXCHANGE
from inplace_lint.torch_model.tensor import Node, Storage, Tensor

# An expression is looked at so often on a path, and so many different states of it are kept.
_MOST_SIGHTS = 24
_MOST_STATES = 12
_MOST_NAMES = 6
_MOST_READS = 3
_MOST_LETTERS = 40

# Views that may not be used once another tensor of their memory was written.
_GUARDED = ("multi", "no_grad", "inference", "custom")
# What is called, or gives what is called: whoever asks for it asks for the result.
_CALLED = (Library, Builtin, Function, Method, Class, Native, Partial)


class Observer:
    """Notes the tensors that the expressions of a file give.

    Args:
        path: the file.
        text: its text.
        place: where a site is.
    """

    def __init__(self, path: str, text: str, place: Locate) -> None:
        self._path, self._place = path, place
        self._lines = text.split("\n")
        self._run: Run | None = None
        self._sights: list[Sight] = []
        self._looks: dict[Span, int] = {}
        self._updated: set[Storage] = set()
        self._frames: set[int] = set()
        self._plain: list[tuple[Span, object]] = []
        self._states: dict[Span, dict[State, None]] = {}
        self._texts: dict[Span, str] = {}
        self._cut: set[Span] = set()
        self.plain: set[Span] = set()
        self.marks = Marks(path)

    def known(self) -> dict[Span, Known]:
        """What has been noted."""
        return {
            span: Known(
                self._texts[span],
                self._place(Site(self._path, span)),
                tuple(states),
                span not in self.plain,
                span not in self._cut,
            )
            for span, states in sorted(self._states.items())
        }

    def value(self, run: Run, node: ir.Expr, ref: Ref) -> None:
        """Note what an expression gives, or what a target has got."""
        frame = run.frame
        if frame.module.path != self._path or frame.module.library:
            return
        if run is not self._run:
            self._begin(run)
        if id(frame) not in self._frames:
            self._frames.add(id(frame))
            self._parameters(run, frame)
        self._look(run, node.span, node, resolve(ref.value))

    def statement(self, run: Run, statement: ir.Stmt) -> None:
        """Note what the targets of an assignment have got that are no names."""
        self.marks.statement(run, statement)
        for target in statement.targets if isinstance(statement, ir.Assign) else ():
            if isinstance(target, ir.Attr) and isinstance(target.value, ir.Name):
                base = run.frame.variables.get(target.value.id)
                owner = resolve(base.value) if base is not None else None
                part = owner.held.get(target.name) if isinstance(owner, Instance) else None
                if part is not None:
                    self.value(run, target, part)

    def path(self, entry: Entry, run: Run) -> None:
        """Work out what was seen on a path that has ended."""
        if run is not self._run:
            return
        course = Course(run, (sight.history for sight in self._sights))
        counters = known_counters(self._sights)
        guarded: dict[int, int] = {}
        for sight in self._sights:
            if sight.tensor.view in _GUARDED:
                guarded.setdefault(id(sight.storage), sight.time)
        repeated = _repeated(self._sights)
        for sight in self._sights:
            is_guarded = guarded.get(id(sight.storage), sight.time + 1) <= sight.time
            state = self._state(sight, course, is_guarded, counters[id(sight.storage)])
            again = state.counting == "exact" and (sight.span, id(sight.storage)) in repeated
            self._note(sight, replace(state, counting="least") if again else state)
        # What was met before evidence showed that it is a tensor was one all the same.
        self.plain.update(span for span, value in self._plain if not isinstance(resolve(value), Tensor))
        self.marks.note(run, self._sights, lambda site: self._source(site).text if site is not None else "")
        self._run = None

    def _begin(self, run: Run) -> None:
        self._run = run
        self._sights, self._looks, self._frames, self._plain = [], {}, set(), []
        self._updated = set()

    def _parameters(self, run: Run, frame: Frame) -> None:
        """The arguments of a call that has just begun."""
        for param in frame.code.params if frame.code is not None else ():
            ref = frame.variables.get(param.name)
            if ref is not None:
                self._look(run, param.span, ir.Name(param.span, param.name), resolve(ref.value))

    def _look(self, run: Run, span: Span, node: ir.Expr, value: object) -> None:
        if not isinstance(value, Tensor) or value.array:
            if not isinstance(value, _CALLED):
                self._plain.append((span, value if isinstance(value, Unknown) else None))
            return
        looks = self._looks[span] = self._looks.get(span, 0) + 1
        if looks > _MOST_SIGHTS:
            self._cut.add(span)
            return
        source = value.detached_from or value.autograd_meta
        if source.parameter or (isinstance(node, ir.Attr) and node.name == "grad"):
            self._updated.add(value.storage)
        self._sights.append(sight_of(run, span, ir_text(node), value))

    def _note(self, sight: Sight, state: State) -> None:
        self._texts[sight.span] = sight.text
        states = self._states.setdefault(sight.span, {})
        if state in states or len(states) < _MOST_STATES:
            states[state] = None
        else:
            self._cut.add(sight.span)

    def _state(self, sight: Sight, course: Course, guarded: bool, counters: Collection[int]) -> State:
        need, others = sight.need, self._others(sight)
        kind = _kind(sight)
        reads = course.reads(sight.storage, sight.time, sight.statement)
        deeds = dict.fromkeys(Deed(read.reader, self._place(read.site)) for read in reads[: 4 * _MOST_READS])
        return State(
            kind=kind,
            source=self._source(sight.tensor.made_site) if sight.tensor.made_site is not None else None,
            of=self._shown(sight, others) if kind in ("view", "detached") else "",
            is_leaf=sight.is_leaf,
            requires_grad=("no", "maybe", "yes")[need.level],
            assumptions=() if need.certain else need.assumptions,
            version=sight.version,
            counting="relative" if sight.storage in self._updated else _counting(sight),
            external=sight.external,
            hidden=sight.counter.hidden,
            written=Deed(sight.written.op, self._place(sight.written.site)) if sight.written is not None else None,
            others=others,
            saved=saved(sight, course, self._place),
            writing=consequence(sight, course, self._place, guarded, counters),
            reads=tuple(deeds)[:_MOST_READS],
        )

    def _others(self, sight: Sight) -> tuple[Other, ...]:
        return tuple(
            Other(name, relation, self._place(site) if site is not None else None)
            for name, relation, site in sight.others[:_MOST_NAMES]
        )

    def _shown(self, sight: Sight, others: tuple[Other, ...]) -> str:
        """The name of what a view shows, or of what was detached; if it has none any more, what made that."""
        wanted = ("base",) if sight.tensor.view != "base" else ("memory", "base")
        named = next((other.name for other in others if other.relation in wanted), "")
        born = sight.storage.site
        return named or (self._source(born).text if born is not None else "")

    def _source(self, site: Site) -> Source:
        """What the program spells at a site."""
        text, span = "", site.span
        if site.path == self._path and span.row <= len(self._lines):
            end = span.end_column - 1 if span.end_row == span.row else None
            text = self._lines[span.row - 1][span.column - 1 : end].strip()
            cut = len(text) > _MOST_LETTERS or span.end_row != span.row
            text = f"{text[:_MOST_LETTERS].rstrip()}…" if cut else text
        return Source(text, self._place(site))


def _repeated(sights: Iterable[Sight]) -> set[tuple[Span, int]]:
    """The expressions that met the same memory with different versions: a loop may write it more often than is run."""
    versions: dict[tuple[Span, int], int] = {}
    found: set[tuple[Span, int]] = set()
    for sight in sights:
        key = (sight.span, id(sight.storage))
        if versions.setdefault(key, sight.version) != sight.version:
            found.add(key)
    return found


def _counting(sight: Sight) -> Counting:
    if sight.external or sight.may_be_copy:
        return "relative"
    writes = sight.storage.latest(sight.time)
    if any(write.op == EXCHANGE for write in writes):
        return "relative"
    return "exact" if len({write.site for write in writes}) == len(writes) else "least"


def _kind(sight: Sight) -> Kind:
    tensor = sight.tensor
    if tensor.view != "base":
        return "view"
    if tensor.autograd_meta.parameter:
        return "parameter"
    if tensor.external:
        return "argument" if tensor.made_site is not None and tensor.label.isidentifier() else "foreign"
    if tensor.detached_from is not None:
        return "detached"
    node = sight.history  # as it was then: a write gives the tensor another one
    return "result" if isinstance(node, Node) and node.write is None and sight.need else "made"
