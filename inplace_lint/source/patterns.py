"""`match` as `ir`: each `case` a branch, whose test says what its pattern says as far as a test can."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

from inplace_lint.source import ir
from inplace_lint.source.place import Span

# The variable that holds what is matched, if that is more than a name or an attribute.
_MATCHED = ".matched"
# Of these, a pattern with one position is about the object itself.
_BUILTINS = frozenset("bool bytearray bytes dict float frozenset int list set str tuple".split())


@dataclass(frozen=True, slots=True, eq=False)
class Equals:
    """`case "mean"`, `case Mode.MEAN`, and (`same`) `case None`."""

    span: Span
    value: ir.Expr
    same: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Capture:
    """`case name`, `case pattern as name`, and (no name) `case _`."""

    span: Span
    name: ir.Name | None
    inner: Pattern | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Either:
    """`case a | b`."""

    span: Span
    patterns: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True, eq=False)
class IsInstance:
    """`case Linear(weight=w)`."""

    span: Span
    cls: ir.Expr
    positions: tuple[Pattern, ...]
    keywords: tuple[tuple[str, Pattern], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """`case (a, b)`."""

    span: Span
    patterns: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Unsure:
    """A mapping, or a sequence with a star: it binds its names to nobody knows what."""

    span: Span
    names: tuple[ir.Name, ...]


Pattern = Equals | Capture | Either | IsInstance | Items | Unsure


def items(patterns: Sequence[Pattern], span: Span) -> Items:
    """A sequence, from its first element to the last, whatever brackets it has; `span` is that of an empty one."""
    if patterns:
        first, last = patterns[0].span, patterns[-1].span
        span = Span(first.row, first.column, last.end_row, last.end_column)
    return Items(span, tuple(patterns))


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One `case` of a `match`."""

    pattern: Pattern
    guard: ir.Expr | None
    body: tuple[ir.Stmt, ...]


def branches(subject: ir.Expr, cases: Sequence[Case]) -> tuple[ir.Stmt, ...]:
    """The statements that a `match` stands for: perhaps an assignment, and a chain of branches."""
    span, first = subject.span, tuple[ir.Stmt, ...]()
    if not _is_plain(subject):
        first = (ir.Assign(span, (ir.Name(span, _MATCHED),), subject),)
        subject = ir.Name(span, _MATCHED)
    chain: tuple[ir.Stmt, ...] = ()
    for case in reversed(cases):
        binds = tuple(_binds(case.pattern, subject))
        test = _test(case.pattern, subject)
        if case.guard is None:
            chain = (ir.If(case.pattern.span, test, binds + case.body, chain),)
        elif not binds:
            chain = (ir.If(case.pattern.span, _both(test, case.guard), case.body, chain),)
        else:  # The guard may ask for what the pattern binds.
            chain = (*binds, ir.If(case.pattern.span, _both(test, case.guard), case.body, chain))
    return first + (chain or (ir.ExprStmt(span, subject),))


def _is_plain(subject: ir.Expr) -> bool:
    if isinstance(subject, ir.Sequence):
        return all(map(_is_plain, subject.items))
    while isinstance(subject, ir.Attr):
        subject = subject.value
    return isinstance(subject, (ir.Name, ir.Const))


def _both(left: ir.Expr, right: ir.Expr) -> ir.Expr:
    for one, other in ((left, right), (right, left)):
        if isinstance(one, ir.Const):
            return other if one.value is True else one
    return ir.BoolOp(left.span, "and", left, right)


def _test(pattern: Pattern, subject: ir.Expr) -> ir.Expr:
    span = pattern.span
    if isinstance(pattern, Equals):
        return ir.Compare(span, subject, (("is" if pattern.same else "==", pattern.value),))
    if isinstance(pattern, Capture):
        return _test(pattern.inner, subject) if pattern.inner is not None else ir.Const(span, True)
    if isinstance(pattern, Either):
        tests = [_test(each, subject) for each in pattern.patterns]
        return reduce(lambda left, right: ir.BoolOp(span, "or", left, right), tests)
    if isinstance(pattern, IsInstance):
        return reduce(lambda left, right: ir.BoolOp(span, "and", left, right), _tests_of_class(pattern, subject))
    if isinstance(pattern, Items) and isinstance(subject, ir.Sequence):
        if len(subject.items) != len(pattern.patterns):
            return ir.Const(span, False)
        tests = [_test(*each) for each in zip(pattern.patterns, subject.items, strict=True)]
        return reduce(_both, tests, _always(span))
    return ir.Opaque(span, (subject,))


def _always(span: Span) -> ir.Expr:
    return ir.Const(span, True)


def _tests_of_class(pattern: IsInstance, subject: ir.Expr) -> Iterator[ir.Expr]:
    """What a pattern says of the class of an object, and of its attributes."""
    span = pattern.span
    yield ir.Call(span, ir.Name(span, "isinstance"), (ir.Arg(span, subject), ir.Arg(span, pattern.cls)))
    inner = [(each, subject) for each in pattern.positions if _is_itself(pattern)]
    inner += [(each, ir.Attr(span, subject, name)) for name, each in pattern.keywords]
    yield from (test for each, of in inner if not isinstance(test := _test(each, of), ir.Const))
    if pattern.positions and not _is_itself(pattern):
        yield ir.Opaque(span, (subject,))


def _is_itself(pattern: IsInstance) -> bool:
    """Whether the only position of a pattern stands for the object: `case int(n)`."""
    return len(pattern.positions) == 1 and isinstance(pattern.cls, ir.Name) and pattern.cls.id in _BUILTINS


def _binds(pattern: Pattern, subject: ir.Expr, sure: bool = True) -> Iterator[ir.Stmt]:
    """The assignments that a pattern makes; of what is within `subject`, nobody knows which (not `sure`)."""
    if isinstance(pattern, Capture):
        if pattern.name is not None:
            yield _assigned(pattern.name, subject, sure)
        if pattern.inner is not None:
            yield from _binds(pattern.inner, subject, sure)
    elif isinstance(pattern, Either):
        yield from _binds(pattern.patterns[0], subject, sure=False)
    elif isinstance(pattern, IsInstance):
        for each in pattern.positions:
            yield from _binds(each, subject, sure and _is_itself(pattern))
        for name, each in pattern.keywords:
            yield from _binds(each, ir.Attr(pattern.span, subject, name), sure)
    elif isinstance(pattern, Items):
        for at, each in enumerate(pattern.patterns):
            yield from _binds(each, _item(subject, at, pattern), sure)
    elif isinstance(pattern, Unsure):
        yield from (_assigned(name, subject, sure=False) for name in pattern.names)


def _item(subject: ir.Expr, at: int, pattern: Items) -> ir.Expr:
    if isinstance(subject, ir.Sequence) and len(subject.items) == len(pattern.patterns):
        return subject.items[at]
    return ir.Index(pattern.span, subject, ir.Const(pattern.span, at))


def _assigned(name: ir.Name, subject: ir.Expr, sure: bool) -> ir.Stmt:
    return ir.Assign(name.span, (name,), subject if sure else ir.Opaque(name.span, (subject,)))
