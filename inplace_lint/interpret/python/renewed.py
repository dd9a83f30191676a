"""What the other branch shows: places that are copied into, or taken up again, where it assigns them a tensor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inplace_lint.interpret.state.branches import Branch
from inplace_lint.interpret.state.facts import branch_facts
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Instance, resolve
from inplace_lint.source import ir
from inplace_lint.source.spelling import ir_text
from inplace_lint.torch_model.regions import extent
from inplace_lint.torch_model.tensor import Tensor, same


def note_both_ways(run: Run, branch: Branch, since: int) -> None:
    """Mark what a branch has done, after a time, that the other branch shows the meaning of."""
    _note_renewed(run, branch, since)
    _note_handed_over(run, branch, since)
    _note_taken_up(run, branch)
    note_chosen(run, _targets(branch.other))


def _note_renewed(run: Run, branch: Branch, since: int) -> None:
    """Copies that a branch has made, after a time, into what the other branch assigns, are marked."""
    place = _asked_for(branch.node.test)
    assigned = {text for target in _targets(branch.other) if (text := ir_text(target))} if place else set()
    if place not in assigned:
        return
    rows = {node.span.row for node in branch.way if _copied_into(node) in assigned}
    for write in run.torch.trace.writes_since(since) if rows else ():
        if write.stack == run.torch.stack and write.site.span.row in rows:
            write.note("renewed")


def _note_handed_over(run: Run, branch: Branch, since: int) -> None:
    """A branch has filled the part that a variable stands for, which the other branch hands to a call to be filled.

    `if rows is not None: self.table[i] = rows`, `elif fill: fill(row)`
    """
    if not isinstance(branch.node, ir.If) or not branch.way:
        return
    names = branch_facts(branch.node)[1 if branch.holds else 0].hands_over
    refs = [run.frame.variables[name] for name in names if name in run.frame.variables]
    shown = [tensor for ref in refs if isinstance(tensor := resolve(ref.value), Tensor)]
    for write in run.torch.trace.writes_since(since) if shown else ():
        if write.stack == run.torch.stack and any(_is_part(tensor, write.operand.tensor) for tensor in shown):
            write.note("handed-over")


def _is_part(shown: Tensor, written: Tensor) -> bool:
    return same(shown, written) and extent(shown.region) != ()


def _note_taken_up(run: Run, branch: Branch) -> None:
    """What a branch has put into a place under a name that the other branch takes out of there is marked.

    `if i == 0: rows = new; kept[key] = rows`, `else: rows = kept[key]`
    """
    fetched = {
        (target.id, ir_text(node.value))
        for node in branch.other.way
        if isinstance(node, ir.Assign) and isinstance(node.value, (ir.Index, ir.Attr))
        for target in node.targets
        if isinstance(target, ir.Name)
    }
    for name, place in fetched:
        ref = run.frame.variables.get(name)
        if ref is None or ref.binding is None or not any(_puts(node, name, place) for node in branch.way):
            continue
        for kept in (ref.binding.stored_as, ref.binding.kept_as):
            if kept is not None:
                kept.taken_up = True


def note_chosen(run: Run, targets: Iterable[ir.Expr]) -> None:
    """What stands where another branch, or the other side of a choice, puts something else is marked."""
    for target in targets:
        ref = None
        if isinstance(target, ir.Name):
            ref = run.frame.variables.get(target.id)
        elif isinstance(target, ir.Attr) and isinstance(target.value, ir.Name):
            holder = run.frame.variables.get(target.value.id)
            value = resolve(holder.value) if holder is not None else None
            ref = value.held.get(target.name) if isinstance(value, Instance) else None
        if ref is not None and ref.binding is not None:
            ref.binding.chosen = True


def _puts(node: ir.Node, name: str, place: str) -> bool:
    """Whether a statement puts what has that name into a place, as it is spelled."""
    if not isinstance(node, ir.Assign):
        return False
    texts = {ir_text(target) for target in node.targets}
    return place in texts and (name in texts or (isinstance(node.value, ir.Name) and node.value.id == name))


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
