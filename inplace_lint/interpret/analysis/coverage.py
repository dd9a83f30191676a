"""Which writes of a file were reached, on whatever path."""

from __future__ import annotations

from collections.abc import Iterable

from inplace_lint.findings.analysis import Coverage
from inplace_lint.interpret.analysis.entries import Entry
from inplace_lint.interpret.state.facts import facts, looks_like_write
from inplace_lint.source import ir
from inplace_lint.source.walk import nodes


def coverage(chosen: Iterable[Entry], reached: set[ir.Stmt]) -> Coverage:
    """How many rows look like writes, and which of these no path came to.

    Args:
        chosen: the entry points that are worth running.
        reached: the statements that were executed.
    """
    writes: set[int] = set()
    passed: set[int] = set()
    for entry in chosen:
        rows = _write_rows(entry)
        writes.update(rows)
        for node in _own_nodes(entry) if rows else ():
            if node in reached:
                passed.update(range(node.span.row, node.span.end_row + 1))
    return Coverage(len(writes), tuple(sorted(writes - passed)))


def _write_rows(entry: Entry) -> Iterable[int]:
    if entry.function is not None:
        return facts(entry.function).write_rows
    return [node.span.row for node in _own_nodes(entry) if looks_like_write(node)]


def _own_nodes(entry: Entry) -> Iterable[ir.Node]:
    if entry.function is not None:
        return nodes(entry.function.body)
    return nodes(entry.module.code.body, inner=False)
