"""Places that are assigned a tensor if they have none, and copied into otherwise."""

from __future__ import annotations

from collections.abc import Iterator

from inplace_lint.interpret.state.branches import Branch
from inplace_lint.interpret.state.run import Run
from inplace_lint.source import ir
from inplace_lint.source.spelling import ir_text


def note_renewed(run: Run, branch: Branch, since: int) -> None:
    """Copies that a branch has made, after a time, into what the other branch assigns, are marked."""
    place = _asked_for(branch.node.test)
    assigned = {text for target in _targets(branch.other) if (text := ir_text(target))} if place else set()
    if place not in assigned:
        return
    rows = {node.span.row for node in branch.way if _copied_into(node) in assigned}
    for write in run.torch.trace.writes_since(since) if rows else ():
        if write.stack == run.torch.stack and write.site.span.row in rows:
            write.note("renewed")


def _asked_for(test: ir.Expr) -> str:
    """What a test asks for whether it is None."""
    if not isinstance(test, ir.Compare) or len(test.rest) != 1:
        return ""
    op, other = test.rest[0]
    is_none = isinstance(other, ir.Const) and other.value is None
    return ir_text(test.left) if is_none and op in ("is", "is not", "==", "!=") else ""


def _targets(branch: Branch) -> Iterator[ir.Expr]:
    for node in branch.way:
        if isinstance(node, ir.Assign):
            yield from node.targets


def _copied_into(node: ir.Node) -> str:
    """What a statement copies into, itself or its `.data`."""
    if not isinstance(node, ir.ExprStmt) or not isinstance(node.value, ir.Call):
        return ""
    func = node.value.func
    if not isinstance(func, ir.Attr) or func.name != "copy_":
        return ""
    target = func.value
    return ir_text(target.value if isinstance(target, ir.Attr) and target.name == "data" else target)
