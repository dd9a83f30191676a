"""Which way a path goes first at an `if` in a loop: the one on which it shows most."""

from __future__ import annotations

from inplace_lint.interpret.state.run import USUAL_TURNS, Run
from inplace_lint.source import ir
from inplace_lint.source.walk import nodes


def taken_first(run: Run, node: ir.If) -> bool | None:
    """The answer that an unknown test gets first; None if that is the likely one."""
    if run.last_turn and _remembers_best(node):
        return False  # What was the best in an earlier turn has to last.
    return False if run.turns > USUAL_TURNS and _only_leaves_turn(node) else None


def _only_leaves_turn(node: ir.If) -> bool:
    """Whether the rest of a turn is skipped."""
    return bool(node.body) and isinstance(node.body[-1], ir.Jump) and not node.orelse


def _remembers_best(node: ir.If) -> bool:
    """Whether a turn with a better value is remembered, and others at most counted: `if loss < best: best = loss`."""
    if not isinstance(node.test, ir.Compare) or not all(isinstance(each, ir.AugAssign) for each in node.orelse):
        return False
    compared = {part.id for part in nodes(node.test) if isinstance(part, ir.Name)}
    targets = (target for each in node.body if isinstance(each, ir.Assign) for target in each.targets)
    return any(isinstance(part, ir.Name) and part.id in compared for target in targets for part in nodes(target))
