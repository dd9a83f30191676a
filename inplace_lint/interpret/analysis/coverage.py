"""Which writes of a file were reached, on whatever path."""

from __future__ import annotations

from collections.abc import Iterable

from inplace_lint.findings.analysis import Coverage
from inplace_lint.interpret.analysis.entries import Entry
from inplace_lint.interpret.analysis.plain_names import Names, is_display, names_of_values
from inplace_lint.interpret.state.facts import facts, is_written, looks_like_write
from inplace_lint.source import ir
from inplace_lint.source.walk import nodes


def coverage(chosen: Iterable[Entry], reached: set[ir.Stmt]) -> Coverage:
    """How many rows look like writes to tensors, and which of these no path came to.

    Args:
        chosen: the entry points that are worth running.
        reached: the statements that were executed.
    """
    writes: set[int] = set()
    passed: set[int] = set()
    for entry in chosen:
        rows = write_rows(entry)
        writes.update(rows)
        passed.update(_passed(entry, reached) if rows else ())
    return Coverage(len(writes), tuple(sorted(writes - passed)))


def missed(entry: Entry, rows: frozenset[int], reached: set[ir.Stmt]) -> frozenset[int]:
    """Those among the rows of an entry point that look like writes to tensors that no path came to."""
    return rows.difference(_passed(entry, reached)) if rows else rows


def write_rows(entry: Entry) -> frozenset[int]:
    """The rows of an entry point where a tensor may be written."""
    if entry.function is not None and not facts(entry.function).write_rows:
        return frozenset()
    own = list(_own_nodes(entry))
    writing = [node for node in own if looks_like_write(node)]
    names = names_of_values(entry.function.params if entry.function is not None else (), own)
    return frozenset(node.span.row for node in writing if not _writes_no_tensor(node, names))


def defining_rows(entry: Entry, rows: frozenset[int]) -> frozenset[int]:
    """The rows of an entry point that give a variable what is written behind them, in some of its rows."""
    if entry.function is None or not rows:
        return frozenset()
    last: dict[str, int] = {}
    for name, row in facts(entry.function).written:
        if row in rows:
            last[name] = max(row, last.get(name, row))
    return frozenset(
        node.span.row
        for node in _own_nodes(entry)
        if isinstance(node, ir.Assign) and not is_display(node.value) and not isinstance(node.value, ir.Const)
        if any(isinstance(to, ir.Name) and node.span.end_row < last.get(to.id, 0) for to in node.targets)
    )


def _passed(entry: Entry, reached: set[ir.Stmt]) -> Iterable[int]:
    for node in _own_nodes(entry):
        if node in reached:
            yield from range(node.span.row, node.span.end_row + 1)
            if isinstance(node, ir.FunctionDef):
                yield from (each.span.row for each in node.function.decorators)


def _own_nodes(entry: Entry) -> Iterable[ir.Node]:
    if entry.function is not None:
        return nodes(entry.function.body)
    return nodes(entry.module.code.body, inner=False)


def _writes_no_tensor(node: ir.Node, names: Names) -> bool:
    """Whether what is spelled like a write changes a number or a text, fills a container, or only binds a name."""
    if isinstance(node, ir.AugAssign):
        return is_display(node.value) or _is_plain_name(node.target, names)
    if isinstance(node, ir.Assign):
        return all(_fills_container(target, node.value, names) for target in node.targets)
    return isinstance(node, ir.Name) and node.id in names.bound


def _fills_container(target: ir.Expr, value: ir.Expr, names: Names) -> bool:
    """Whether an assignment to a target puts something into a list or dict, or binds a name."""
    if isinstance(target, ir.Sequence):
        return all(_fills_container(each, value, names) for each in target.items)
    if not isinstance(target, ir.Index):
        return not is_written(target)
    puts = is_display(value) or (isinstance(value, ir.Const) and value.value is None)
    return puts or _is_text(target.index) or _is_plain_name(target.value, names)


def _is_plain_name(node: ir.Expr, names: Names) -> bool:
    return isinstance(node, ir.Name) and node.id in names.plain


def _is_text(node: ir.Expr) -> bool:
    return isinstance(node, ir.Opaque) or (isinstance(node, ir.Const) and isinstance(node.value, (str, bytes)))
