"""Copies: of what an op saves, of what a second name keeps, of what is about to be written."""

from __future__ import annotations

import ast

from inplace_lint.cure import Cure
from inplace_lint.diagnostic import Edit
from inplace_lint.fixes.tree import Tree, after, dotted, insertion

_PRIMARIES = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)
# Calls that give a container; no tensor has a `copy`.
_CONTAINERS = frozenset({"dict", "OrderedDict", "list", "tuple", "state_dict", "copy"})


def clone(tree: Tree, cure: Cure) -> tuple[Edit, ...] | None:
    """`.clone()` behind the expressions at the sites, or behind what is assigned to the targets there."""
    edits: list[Edit] = []
    for site in cure.sites:
        node = tree.at(site.span, ast.expr)
        value = _assigned(tree, node) if node is not None and not _is_list(tree, node) else None
        cloned = _cloned(tree, value) if value is not None else None
        if cloned is None:
            return None
        edits += (edit for edit in cloned if edit not in edits)
    return tuple(edits)


def put_back(tree: Tree, cure: Cure) -> tuple[Edit, ...] | None:
    """`x[i].mul_(2)` to `x[i] = x[i].mul_(2)`."""
    call = tree.at(cure.sites[0].span, ast.Call)
    statement = tree.parent(call) if call is not None else None
    if call is None or not isinstance(statement, ast.Expr) or not isinstance(call.func, ast.Attribute):
        return None
    written = call.func.value
    while isinstance(written, ast.Call) and isinstance(written.func, ast.Attribute):
        written = written.func.value
    if not isinstance(written, ast.Subscript):
        return None
    start = tree.span(statement)
    return (insertion(start.row, start.column, f"{tree.source(written)} = "),)


def clone_source(tree: Tree, cure: Cure) -> tuple[Edit, ...] | None:
    """`.clone()` behind what a statement copies from, or its mask: `a[1:] = a[:-1].clone()`."""
    statement = tree.statement_at(cure.sites[0].span)
    if isinstance(statement, (ast.Assign, ast.AugAssign)):
        target = statement.target if isinstance(statement, ast.AugAssign) else statement.targets[0]
        if isinstance(target, ast.Subscript) and dotted(target.slice) and dotted(target.slice) == dotted(target.value):
            return _cloned(tree, target.slice)
        return _cloned(tree, statement.value)
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call) and len(call.args) == 1 and isinstance(call.func, ast.Attribute):
        return _cloned(tree, call.args[0])
    return None


def copy_first(tree: Tree, cure: Cure) -> tuple[Edit, ...] | None:
    """`x = x.clone()` before the statement that writes `x`."""
    statement = tree.statement_at(cure.sites[0].span)
    if statement is None or not cure.name or not tree.may_bind(cure.name, statement):
        return None
    return (tree.before(statement, f"{cure.name} = {cure.name}.clone()"),)


def clone_for_backward(tree: Tree, cure: Cure) -> tuple[Edit, ...] | None:
    """`ctx.save_for_backward(x.clone())` in the function that writes `x`."""
    statement = tree.statement_at(cure.sites[0].span)
    function = tree.function(statement) if statement is not None else None
    for call in ast.walk(function) if function is not None else ():
        if isinstance(call, ast.Call) and dotted(call.func).endswith(".save_for_backward"):
            saved = [arg for arg in call.args if dotted(arg) == cure.name]
            return _cloned(tree, saved[0]) if saved else None
    return None


def clone_state(tree: Tree, cure: Cure) -> tuple[Edit, ...] | None:
    """`model.state_dict()` to a dict of clones."""
    call = tree.at(cure.sites[0].span, ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute) or call.func.attr != "state_dict":
        return None
    span = tree.span(call)
    begin = insertion(span.row, span.column, "{name: value.clone() for name, value in ")
    return (begin, after(span, ".items()}"))


def element_each(tree: Tree, cure: Cure) -> tuple[Edit, ...] | None:
    """`[torch.zeros(2)] * n` to `[torch.zeros(2) for _ in range(n)]`."""
    element = tree.at(cure.sites[0].span, ast.Call)
    display = tree.parent(element) if element is not None else None
    product = tree.parent(display) if isinstance(display, ast.List) and len(display.elts) == 1 else None
    if not isinstance(product, ast.BinOp) or not isinstance(product.op, ast.Mult) or product.left is not display:
        return None
    assert isinstance(display, ast.List)
    assert element is not None
    text = f"[{tree.source(element)} for _ in range({tree.source(product.right)})]"
    return (Edit(tree.span(product), text),) if "#" not in tree.source(product) else None


def _assigned(tree: Tree, node: ast.expr) -> ast.expr | None:
    """The expression itself; for the target of an assignment, what it is given."""
    if not isinstance(getattr(node, "ctx", None), ast.Store):
        return node
    parent = tree.parent(node)
    if isinstance(parent, (ast.Assign, ast.AnnAssign)):
        return parent.value
    around = tree.parent(parent) if isinstance(parent, ast.Tuple) else None
    if isinstance(parent, ast.Tuple) and isinstance(around, ast.Assign) and isinstance(around.value, ast.Tuple):
        index = parent.elts.index(node)
        return around.value.elts[index] if len(parent.elts) == len(around.value.elts) else None
    return None


def _is_list(tree: Tree, node: ast.expr) -> bool:
    """Whether an argument stands for several tensors."""
    parent = tree.parent(node)
    if isinstance(parent, ast.Call):
        return node is not parent.func and dotted(parent.func).rpartition(".")[2].startswith("_foreach_")
    return isinstance(parent, ast.Starred)


def _cloned(tree: Tree, node: ast.expr) -> tuple[Edit, ...] | None:
    if isinstance(node, ast.Call) and dotted(node.func).rpartition(".")[2] in ("Parameter", "requires_grad_"):
        inner = node.args[:1] if isinstance(node.func, ast.Name) or node.args else []  # a copy of a leaf is no leaf
        return _cloned(tree, inner[0]) if inner else None
    if isinstance(node, ast.Call) and dotted(node.func).rpartition(".")[2] in _CONTAINERS:
        return None
    span = tree.span(node)
    if isinstance(node, _PRIMARIES):
        return (after(span, ".clone()"),)
    if isinstance(node, ast.BinOp):
        return (insertion(span.row, span.column, "("), after(span, ").clone()"))
    return None
