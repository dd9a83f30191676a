"""Cures by a copy: of a tensor that an op saves, that an alias keeps, or that is about to be written."""

from __future__ import annotations

from typing import TypeGuard

import libcst as cst

from inplace_lint.findings.cure import Cure
from inplace_lint.fixes.out_of_place import parenthesized
from inplace_lint.fixes.rewrite import Rewrite, insert_before, replace
from inplace_lint.fixes.tree import Tree, below, dotted, has_comment

# Calls that give a container; no tensor has a `copy`.
_CONTAINERS = frozenset({"dict", "OrderedDict", "list", "tuple", "state_dict", "copy"})


def clone(tree: Tree, cure: Cure) -> list[Rewrite] | None:
    """`.clone()` behind the expressions at the sites, or behind what is assigned to the targets there."""
    copies: list[Rewrite] = []
    for site in cure.sites:
        node = tree.expression_at(site.span)
        value = _assigned(tree, node) if node is not None and not _is_list(tree, node) else None
        copy = _cloned(_before_it_is_a_leaf(value)) if value is not None else None
        if copy is None:
            return None
        copies.append(copy)
    return copies


def _before_it_is_a_leaf(value: cst.BaseExpression) -> cst.BaseExpression:
    """`x` in `x.requires_grad_()`, of which a clone would be no leaf."""
    return value.func.value if _is_call(value, "requires_grad_") and isinstance(value.func, cst.Attribute) else value


def put_back(tree: Tree, cure: Cure) -> list[Rewrite] | None:
    """`x[i].mul_(2)` to `x[i] = x[i].mul_(2)`."""
    call = tree.at(cure.sites[0].span, cst.Call)
    statement = tree.parent(call) if call is not None else None
    if call is None or not isinstance(statement, cst.Expr) or not isinstance(call.func, cst.Attribute):
        return None
    written = call.func.value
    while isinstance(written, cst.Call) and isinstance(written.func, cst.Attribute):
        written = written.func.value
    if not isinstance(written, cst.Subscript):
        return None
    return [replace(statement, cst.Assign([cst.AssignTarget(written.deep_clone())], call))]


def clone_source(tree: Tree, cure: Cure) -> list[Rewrite] | None:
    """`.clone()` behind what a statement copies from, or its mask: `a[1:] = a[:-1].clone()`."""
    statement = tree.statement_at(cure.sites[0].span)
    if isinstance(statement, (cst.Assign, cst.AugAssign)):
        target = statement.target if isinstance(statement, cst.AugAssign) else statement.targets[0].target
        return _as_list(_cloned(_own_mask(target) or statement.value))
    call = statement.value if isinstance(statement, cst.Expr) else None
    given = [arg for arg in call.args if arg.keyword is None and arg.star != "**"] if isinstance(call, cst.Call) else []
    if isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute) and len(given) == 1 and not given[0].star:
        return _as_list(_cloned(given[0].value))
    return None


def _own_mask(target: cst.BaseExpression) -> cst.BaseExpression | None:
    """`a` in `a[a]`."""
    if not isinstance(target, cst.Subscript) or len(target.slice) != 1:
        return None
    index = target.slice[0].slice
    if isinstance(index, cst.Index) and dotted(index.value) and dotted(index.value) == dotted(target.value):
        return index.value
    return None


def copy_first(tree: Tree, cure: Cure) -> list[Rewrite] | None:
    """`x = x.clone()` before the statement that writes `x`."""
    statement = tree.statement_at(cure.sites[0].span)
    if statement is None or not cure.name or not tree.may_bind(cure.name, statement):
        return None
    return [insert_before(tree, statement, f"{cure.name} = {cure.name}.clone()")]


def clone_for_backward(tree: Tree, cure: Cure) -> list[Rewrite] | None:
    """`ctx.save_for_backward(x.clone())` in the function that writes `x`."""
    statement = tree.statement_at(cure.sites[0].span)
    function = tree.function(statement) if statement is not None else None
    saves = (node for node in below(function) if _is_call(node, "save_for_backward")) if function is not None else ()
    for call in saves:
        saved = [arg.value for arg in call.args if dotted(arg.value) == cure.name]
        return _as_list(_cloned(saved[0])) if saved else None
    return None


def clone_state(tree: Tree, cure: Cure) -> list[Rewrite] | None:
    """`model.state_dict()` to a dict of clones."""
    call = tree.at(cure.sites[0].span, cst.Call)
    if call is None or not _is_call(call, "state_dict"):
        return None
    name, value = cst.Name("name"), cst.Name("value")
    items = cst.Call(cst.Attribute(call, cst.Name("items")))
    pairs = cst.Tuple([cst.Element(name), cst.Element(value)], lpar=[], rpar=[])
    copy = cst.Call(cst.Attribute(value.deep_clone(), cst.Name("clone")))
    return [replace(call, cst.DictComp(name.deep_clone(), copy, cst.CompFor(pairs, items)))]


def element_each(tree: Tree, cure: Cure) -> list[Rewrite] | None:
    """`[torch.zeros(2)] * n` to `[torch.zeros(2) for _ in range(n)]`."""
    call = tree.at(cure.sites[0].span, cst.Call)
    element = tree.parent(call) if call is not None else None
    display = tree.parent(element) if isinstance(element, cst.Element) else None
    product = tree.parent(display) if isinstance(display, cst.List) and len(display.elements) == 1 else None
    if call is None or not isinstance(product, cst.BinaryOperation) or has_comment([product]):
        return None
    if not isinstance(product.operator, cst.Multiply) or product.left is not display:
        return None
    times = product.right.with_changes(lpar=(), rpar=()) if product.right.lpar else product.right
    turns = cst.CompFor(cst.Name("_"), cst.Call(cst.Name("range"), [cst.Arg(times)]))
    return [replace(product, cst.ListComp(call, turns, lpar=product.lpar, rpar=product.rpar))]


def _is_call(node: cst.CSTNode, method: str) -> TypeGuard[cst.Call]:
    return isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value == method


def _assigned(tree: Tree, node: cst.BaseExpression) -> cst.BaseExpression | None:
    """The expression itself; for the target of an assignment, what it is given."""
    if not tree.is_target(node):
        return node
    parent = tree.parent(node)
    if isinstance(parent, cst.AnnAssign):
        return parent.value
    if isinstance(parent, cst.AssignTarget):
        return cst.ensure_type(tree.parent(parent), cst.Assign).value
    targets = tree.parent(parent) if isinstance(parent, cst.Element) else None
    values = _assigned(tree, targets) if isinstance(targets, cst.Tuple) else None
    if isinstance(targets, cst.Tuple) and isinstance(values, cst.Tuple) and isinstance(parent, cst.Element):
        place = targets.elements.index(parent)
        return values.elements[place].value if len(targets.elements) == len(values.elements) else None
    return None


def _is_list(tree: Tree, node: cst.BaseExpression) -> bool:
    """Whether an argument stands for several tensors."""
    parent = tree.parent(node)
    if isinstance(parent, cst.Arg):
        call = tree.parent(parent)
        name = dotted(call.func) if isinstance(call, cst.Call) else ""
        return bool(parent.star) or name.rpartition(".")[2].startswith("_foreach_")
    return isinstance(parent, cst.StarredElement)


def _cloned(node: cst.BaseExpression) -> Rewrite | None:
    if isinstance(node, cst.Call):
        name = dotted(node.func).rpartition(".")[2]
        if name in ("Parameter", "requires_grad_"):  # a copy of a leaf is no leaf
            inner = [arg.value for arg in node.args if arg.keyword is None]
            return _cloned(inner[0]) if inner else None
        if name in _CONTAINERS:
            return None
    if isinstance(node, (cst.Name, cst.Attribute, cst.Subscript, cst.Call)):
        return replace(node, cst.Call(cst.Attribute(node, cst.Name("clone"))))
    if isinstance(node, cst.BinaryOperation):
        return replace(node, cst.Call(cst.Attribute(parenthesized(node), cst.Name("clone"))))
    return None


def _as_list(rewrite: Rewrite | None) -> list[Rewrite] | None:
    return [rewrite] if rewrite is not None else None
