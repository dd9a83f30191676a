"""Which way a path goes first at an `if` in a loop: the one on which it shows most."""

from __future__ import annotations

from inplace_lint.interpret.state.run import USUAL_TURNS, Run
from inplace_lint.source import ir
from inplace_lint.source.walk import nodes


def taken_first(run: Run, node: ir.If) -> bool | None:
    """The answer that an unknown test gets first; None if that is the likely one."""
    if run.last_turn and _remembers_best(node):
        return False  # What was the best in an earlier turn has to last.
    if _only_leaves(node, ir.Jump) and run.turns > USUAL_TURNS:
        return False
    return False if _asks_for_rest(node.test) and _only_leaves(node, ir.Jump, ir.Return) else None


def _only_leaves(node: ir.If, *how: type[ir.Stmt]) -> bool:
    """Whether the rest of a turn, or of a function that is called in each, is skipped."""
    return bool(node.body) and isinstance(node.body[-1], how) and not node.orelse


def _asks_for_rest(test: ir.Expr) -> bool:
    """Whether what is done in one turn of several is asked for: `if step % every: return`."""
    return any(isinstance(part, ir.Binary) and part.op == "%" for part in nodes(test))


def _remembers_best(node: ir.If) -> bool:
    """Whether a turn with a better value is remembered, and others at most counted: `if loss < best: best = loss`."""
    if not isinstance(node.test, ir.Compare) or not all(isinstance(each, ir.AugAssign) for each in node.orelse):
        return False
    compared = {part.id for part in nodes(node.test) if isinstance(part, ir.Name)}
    targets = (target for each in node.body if isinstance(each, ir.Assign) for target in each.targets)
    return any(isinstance(part, ir.Name) and part.id in compared for target in targets for part in nodes(target))
