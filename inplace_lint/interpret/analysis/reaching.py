"""Goes to the writes of an entry point that no path has come to: by more paths, then without what is around it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inplace_lint.interpret.analysis.collected import Collected
from inplace_lint.interpret.analysis.coverage import defining_rows, missed, write_rows
from inplace_lint.interpret.analysis.following import Pending, begin_alone
from inplace_lint.interpret.state.branches import leads_to_rows
from inplace_lint.interpret.state.oracle import Oracle
from inplace_lint.source import ir
from inplace_lint.source.walk import last_row, nodes

# Paths that an entry point gets for the sake of writes that the others did not come to.
MOST_PATHS_THERE = 12
# Paths that who calls a function gets for the sake of what that shows.
MOST_PATHS_TO_FINDINGS = 3
# The same for the sake of what it writes.
MOST_PATHS_TO_WRITES = 2


@dataclass(slots=True, eq=False)
class _Goal:
    """Rows to come to; those that a path comes to are taken out.

    Args:
        functions: the function of the entry point, and those inside it.
        rows: where no path has been.
        places: what is executed when a path comes to a row.
    """

    pending: Pending
    functions: frozenset[ir.Function]
    rows: set[int]
    places: dict[int, list[ir.Node]]

    def go_on(self, oracle: Oracle) -> None:
        """Run one path, and note where it has come to."""
        self.pending.follow(oracle)
        reached = self.pending.collected.reached
        for row in [row for row in self.rows if any(place in reached for place in self.places[row])]:
            self.rows.discard(row)


def reach_the_rest(begun: Iterable[Pending], collected: Collected) -> None:
    """Go to the writes of entry points that no path has come to; who calls them has as many steps as without that."""
    steps = collected.steps
    for pending in begun:
        if pending.entry.function is not None:
            _reach(pending, pending.entry.function, collected)
    collected.steps = steps


def come_to_findings(begun: Iterable[Pending], collected: Collected) -> None:
    """Let who runs a function that shows something also come to where that shows it: else nobody knows of its calls."""
    shown: dict[ir.Function, set[int]] = {}
    for (_, site), found in collected.findings.items():
        for entry, _, finding, _ in found:
            if finding.assumed and entry.function is not None and entry.module.path == site.path:
                shown.setdefault(entry.function, set()).add(site.span.row)
    for pending in begun:
        for function, rows in shown.items():
            if collected.effort.is_half_spent:
                return
            if pending.entry.function is not function and pending.entry in collected.callers.get(function, ()):
                leads = leads_to_rows((function,), rows - _rows_written(pending))
                pending.exploration.go_towards(leads, MOST_PATHS_TO_FINDINGS, pending.follow)


def come_to_writes(begun: Sequence[Pending], collected: Collected) -> None:
    """Let who runs a function come to where only its own run has come that writes: there its arguments are known."""
    steps = collected.steps
    own = {pending.entry.function: _rows_written(pending) for pending in begun if pending.entry.function is not None}
    for pending in begun:
        come_to = _rows_written(pending)
        for function, rows in own.items():
            if collected.effort.is_running_low:
                break
            if pending.entry.function is not function and pending.entry in collected.callers.get(function, ()):
                leads = leads_to_rows((function,), rows.intersection(_rows_of(function)) - come_to)
                pending.exploration.go_towards(leads, MOST_PATHS_TO_WRITES, pending.follow)
    collected.steps = steps


def _rows_written(pending: Pending) -> set[int]:
    return {site.span.row for site in pending.written if site.path == pending.entry.module.path}


def _rows_of(function: ir.Function) -> range:
    return range(function.span.row, last_row(function.body[-1]) + 1 if function.body else 0)


def _reach(pending: Pending, function: ir.Function, collected: Collected) -> None:
    entry = pending.entry
    writes = write_rows(entry) if not collected.effort.is_half_spent else frozenset[int]()
    for goal in (writes, defining_rows(entry, writes)):
        if not collected.effort.is_half_spent and (rows := missed(entry, goal, collected.reached)):
            _go_there(pending, function, set(rows))
    if not function.params or entry.is_program:
        return  # what it does not come to, nobody does
    for proving in (True, False):
        if not collected.effort.is_half_spent and (rows := missed(entry, writes, collected.reached)):
            alone = begin_alone(pending, rows, proving)
            _go_there(alone, function, set(missed(entry, writes, collected.reached)))


def _go_there(pending: Pending, function: ir.Function, rows: set[int]) -> None:
    own = list(nodes(function.body))
    functions = frozenset([function, *(node for node in own if isinstance(node, ir.Function))])
    places = {row: [node for node in own if node.span.row <= row <= node.span.end_row] for row in rows}
    goal = _Goal(pending, functions, rows, places)
    pending.exploration.go_towards(leads_to_rows(functions, rows), MOST_PATHS_THERE, goal.go_on)
