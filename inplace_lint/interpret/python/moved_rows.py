"""Loops that put rows of a tensor in the place of others, which a later round takes: `x[i] = x[order[i]]`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inplace_lint.interpret.state.run import Run
from inplace_lint.judgement.reason import silent, suspect
from inplace_lint.source import ir
from inplace_lint.source.spelling import ir_text
from inplace_lint.source.walk import blocks, form, nodes

MOVED_ROWS = suspect(
    "moved-rows",
    "same-expression",
    "a loop that moves rows to where data tell means the rows as they were before it",
    """
    import torch

    cache, order = torch.arange(3.0), [1, 0, 0]
    for i, source in enumerate(order):
        cache[i] = cache[source]
    """,
)
SHIFTED_ROWS = suspect(
    "shifted-rows",
    "same-expression",
    "a loop that makes place for a new row by moving the others means each as it was before",
    """
    import torch

    history = torch.arange(4.0)
    for i in range(3):
        history[i + 1] = history[i]
    history[0] = 9
    """,
)
RISING_POSITIONS = silent(
    "rising-positions",
    "positions that go by a name like `keep` or `alive` rise, so that the rows close up from the front",
    """
    import torch

    rows, keep = torch.arange(5.0), [1, 3, 4]
    for i, source in enumerate(keep):
        rows[i] = rows[source]
    """,
)

_RISING = ("keep", "kept", "alive", "active", "valid", "remain", "surviv", "nonzero", "sorted", "where", "running")


@dataclass(frozen=True, slots=True)
class _Loop:
    """What a loop counts, whether upwards, and the names of what it takes from elsewhere in each round."""

    counter: str
    rises: bool
    taken: frozenset[str]


def note_moved_rows(run: Run, loop: ir.For, began: int) -> None:
    """A loop was run: note its writes of rows that it takes in a later round."""
    code = run.frame.code
    moved = moved_rows(loop, code.body if code is not None else run.frame.module.code.body)
    if not moved:
        return
    rows = {node.span.row: by_its_name for node, by_its_name in moved}
    for write in run.torch.trace.writes_since(began):
        by_its_name = rows.get(write.site.span.row)
        if by_its_name is None or write.stack != run.torch.stack:
            continue
        if by_its_name or any(other.tensor.storage is write.storage for other in write.others):
            write.note("moved")


def moved_rows(loop: ir.For, code: tuple[ir.Stmt, ...]) -> tuple[tuple[ir.Stmt, bool], ...]:
    """The statements of a loop that take rows which an earlier round has overwritten, and was not meant to.

    Each with whether it takes them by the name of what it changes; of another name, only the run can tell that.

    A row that is taken as it is, from a position that data tell, has no order; where a history is moved on by one, its
    first place gets something new afterwards. Where a row is made of the one before (`x[i] = x[i - 1] + y`), that one
    is meant as it is by then.

    Args:
        loop: the loop.
        code: the statements of the function or module.
    """
    if loop.moved is None:
        counted = _counted(loop)
        loop.moved = tuple(_moving(loop, counted, code)) if counted is not None else ()
    return loop.moved


def _counted(loop: ir.For) -> _Loop | None:
    call = loop.iter
    if not isinstance(call, ir.Call) or not isinstance(call.func, ir.Name) or not call.args:
        return None
    names = _names(loop.target)
    first = call.args[0].value
    if call.func.id == "range" and len(names) == 1:
        return _Loop(names[0], not _falls(call), frozenset())
    if call.func.id == "reversed" and len(names) == 1 and _is_range(first):
        return _Loop(names[0], _falls(first), frozenset())
    given = call.args if call.func.id == "enumerate" else call.args[1:]
    pairs = call.func.id == "enumerate" or (call.func.id == "zip" and _is_range(first))
    if pairs and len(names) > 1 and not any(_rise(each.value) for each in given):
        return _Loop(names[0], True, frozenset(names[1:]))
    return None


def _names(target: ir.Expr) -> list[str]:
    items = target.items if isinstance(target, ir.Sequence) else (target,)
    return [item.id if isinstance(item, ir.Name) else "" for item in items]


def _is_range(node: ir.Expr) -> bool:
    return isinstance(node, ir.Call) and isinstance(node.func, ir.Name) and node.func.id == "range"


def _falls(node: ir.Expr) -> bool:
    """Whether a range counts down."""
    step = node.args[2].value if isinstance(node, ir.Call) and len(node.args) > 2 else None
    negative = isinstance(step, ir.Const) and isinstance(step.value, int) and step.value < 0
    return negative or isinstance(step, ir.Unary)


def _rise(node: ir.Expr) -> bool:
    return RISING_POSITIONS.on and any(word in ir_text(node).lower() for word in _RISING)


def _moving(loop: ir.For, counted: _Loop, code: tuple[ir.Stmt, ...]) -> Iterator[tuple[ir.Stmt, bool]]:
    inside = list(nodes(loop.body))
    taken = set(counted.taken)
    for node in inside:
        if isinstance(node, ir.Assign) and _is_told(node.value, counted, taken):
            taken.update(target.id for target in node.targets if isinstance(target, ir.Name))
    for node in inside:
        if not isinstance(node, (ir.Assign, ir.ExprStmt)) or (copied := _copied(node)) is None:
            continue
        into, out_of = copied
        whole = form(into.value)
        if whole != form(out_of.value):
            if _takes_by_data(into, out_of, counted, taken):
                yield node, False
        elif sum(isinstance(each, ir.Index) and form(each.value) == whole for each in inside) == 2:
            # The loop does no more with this tensor.
            behind = node in loop.body and _is_one_behind(into, out_of, counted)
            if _moves_by_data(into, out_of, counted, taken) or (behind and _is_renewed(loop, whole, code)):
                yield node, True


def _takes_by_data(into: ir.Index, out_of: ir.Index, counted: _Loop, taken: set[str]) -> bool:
    """Whether one row after the other gets what another tensor has where data tell."""
    pairs = zip(_parts(into), _parts(out_of), strict=False)
    return MOVED_ROWS.on and any(
        _is_counter(ours, counted) and _is_told(theirs, counted, taken) for ours, theirs in pairs
    )


def _moves_by_data(into: ir.Index, out_of: ir.Index, counted: _Loop, taken: set[str]) -> bool:
    """Whether one row after the other gets what the tensor itself has where data tell."""
    places = _other_places(into, out_of)
    return (
        MOVED_ROWS.on and places is not None and _is_counter(places[0], counted) and _is_told(places[1], counted, taken)
    )


def _is_one_behind(into: ir.Index, out_of: ir.Index, counted: _Loop) -> bool:
    places = _other_places(into, out_of)
    return places is not None and _is_behind(*places, counted)


def _copied(node: ir.Assign | ir.ExprStmt) -> tuple[ir.Index, ir.Index] | None:
    """The item that a statement changes, and the one that it puts there."""
    into, out_of = _assigned(node)
    while isinstance(out_of, ir.Call) and isinstance(out_of.func, ir.Attr) and out_of.func.name in ("clone", "detach"):
        out_of = out_of.func.value
    return (into, out_of) if isinstance(into, ir.Index) and isinstance(out_of, ir.Index) else None


def _assigned(node: ir.Assign | ir.ExprStmt) -> tuple[ir.Expr | None, ir.Expr | None]:
    """What `x = y` or `x.copy_(y)` changes, and what it puts there."""
    if isinstance(node, ir.Assign):
        return (node.targets[0], node.value) if len(node.targets) == 1 else (None, None)
    call = node.value
    if isinstance(call, ir.Call) and isinstance(call.func, ir.Attr) and call.func.name == "copy_" and call.args:
        return call.func.value, call.args[0].value
    return None, None


def _other_places(into: ir.Index, out_of: ir.Index) -> tuple[ir.Expr, ir.Expr] | None:
    """The parts of two subscripts that differ, if that is one of each."""
    ours, theirs = _parts(into), _parts(out_of)
    other = [pair for pair in zip(ours, theirs, strict=False) if form(pair[0]) != form(pair[1])]
    return other[0] if len(ours) == len(theirs) and len(other) == 1 else None


def _parts(node: ir.Index) -> tuple[ir.Expr, ...]:
    return node.index.items if isinstance(node.index, ir.Sequence) else (node.index,)


def _is_told(node: ir.Expr, counted: _Loop, taken: set[str]) -> bool:
    """Whether a position is what data have at the counter: `order[i]`, `int(order[i])`, `order[i].item()`."""
    if isinstance(node, ir.Call):
        inner = node.args[0].value if node.args else node.func.value if isinstance(node.func, ir.Attr) else None
        return inner is not None and _is_told(inner, counted, taken)
    if isinstance(node, ir.Index):
        return any(_is_counter(part, counted) for part in _parts(node)) and not _rise(node.value)
    return isinstance(node, ir.Name) and node.id in taken


def _is_counter(node: ir.Expr, counted: _Loop) -> bool:
    return _offset(node, counted.counter) == 0


def _is_behind(place: ir.Expr, source: ir.Expr, counted: _Loop) -> bool:
    """Whether an earlier round has written the row that is taken."""
    ours, theirs = _offset(place, counted.counter), _offset(source, counted.counter)
    if not SHIFTED_ROWS.on:
        return False
    return ours is not None and theirs is not None and (theirs < ours if counted.rises else theirs > ours)


def _offset(node: ir.Expr, counter: str) -> int | None:
    """How far a position is from the counter: 1, of `i + 1`."""
    if isinstance(node, ir.Name):
        return 0 if node.id == counter else None
    if not isinstance(node, ir.Binary) or not isinstance(node.right, ir.Const) or _offset(node.left, counter) != 0:
        return None
    number = node.right.value
    if not isinstance(number, int) or node.op not in ("+", "-"):
        return None
    return number if node.op == "+" else -number


def _is_renewed(loop: ir.For, whole: object, code: tuple[ir.Stmt, ...]) -> bool:
    """Whether what follows a loop puts something in a fixed place of a tensor."""
    for block in blocks(code):
        if loop in block:
            for node in block[block.index(loop) + 1 :]:
                targets = node.targets if isinstance(node, ir.Assign) else ()
                if any(isinstance(each, ir.Index) and form(each.value) == whole for each in targets):
                    return True
    return False
