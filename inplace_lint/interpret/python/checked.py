"""Values that are checked before they are put back: `w = self.w; w += d; if w.isnan().any(): raise; self.w = w`."""

from __future__ import annotations

from collections.abc import Iterator

from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Ref, resolve
from inplace_lint.source import ir
from inplace_lint.source.walk import blocks, nodes
from inplace_lint.torch_model.op_names import PUT_BACK
from inplace_lint.torch_model.tensor import Tensor, same


def note_checked(run: Run, node: ir.Assign, ref: Ref) -> None:
    """A variable is put where its tensor is already: that is read, if a check of the new values may prevent it."""
    code, name = run.frame.code, node.value
    value = resolve(ref.value)
    places = [target for target in node.targets if isinstance(target, (ir.Attr, ir.Index))]
    if (
        code is None
        or run.frame.module.library
        or not places
        or not isinstance(name, ir.Name)
        or not isinstance(value, Tensor)
    ):
        return
    last = value.storage.writes[-1][0] if value.storage.writes else None
    if last is None or last.stack != run.torch.stack or not _is_checked(node, name.id, last.site.span.row, code):
        return
    twin = run.operand(ref, run.site(name), name.id)
    for place in places:
        there = run.operand(run.evaluate(place), run.site(place), run.spelled(place))
        if there is not None and same(there.tensor, value):
            run.torch.read(there, PUT_BACK, twin=twin)


def _is_checked(node: ir.Assign, name: str, since: int, code: ir.Function) -> bool:
    """Whether a test of a name, in the rows between, decides whether a statement is run."""
    names = {name, *_told_by(name, since, node, code)}
    for test in nodes(code.body, inner=False):
        if isinstance(test, ir.If) and since < test.span.row < node.span.row and _mentions(test.test, names):
            if node in test.body or node in test.orelse:
                return True
            beside = any(node in block and test in block for block in blocks(code.body))
            if beside and test.body and isinstance(test.body[-1], (ir.Raise, ir.Return)):
                return True
    return False


def _told_by(name: str, since: int, node: ir.Assign, code: ir.Function) -> Iterator[str]:
    """The variables that were made of another one, in the rows before a statement."""
    for made in nodes(code.body, inner=False):
        if isinstance(made, ir.Assign) and since < made.span.row < node.span.row and _mentions(made.value, {name}):
            yield from (target.id for target in made.targets if isinstance(target, ir.Name))


def _mentions(node: ir.Expr, names: set[str]) -> bool:
    return any(isinstance(part, ir.Name) and part.id in names for part in nodes(node))
