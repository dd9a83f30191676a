"""Cures inside functions that autograd calls, and for calls with `out=`."""

from __future__ import annotations

import libcst as cst

from inplace_lint.findings.cure import Cure
from inplace_lint.fixes.arguments import without
from inplace_lint.fixes.rewrite import Rewrite, insert_before, replace
from inplace_lint.fixes.tree import Tree, below, dotted, keyword


def mark_dirty(tree: Tree, cure: Cure) -> list[Rewrite] | None:
    """`ctx.mark_dirty(x)` before the write of `x`, an argument that `forward` returns."""
    statement = tree.statement_at(cure.sites[0].span)
    function = tree.function(statement) if statement is not None else None
    if statement is None or function is None:
        return None
    names = [param.name.value for param in (*function.params.posonly_params, *function.params.params)]
    if cure.name not in names[1:] or not _returns(function, cure.name):
        return None
    return [insert_before(tree, statement, f"{names[0]}.mark_dirty({cure.name})")]


def gives_back(tree: Tree, cure: Cure) -> bool:
    """Whether the function around a place returns the variable that is written there."""
    statement = tree.statement_at(cure.sites[0].span)
    function = tree.function(statement) if statement is not None else None
    return function is not None and _returns(function, cure.name)


def _returns(function: cst.FunctionDef, name: str) -> bool:
    """Whether a function returns the variable itself, alone or in a tuple, wherever it returns."""
    found = [node.value for node in below(function) if isinstance(node, cst.Return)]
    return bool(found) and all(value is not None and name in _parts(value) for value in found)


def _parts(value: cst.BaseExpression) -> list[str]:
    return [dotted(part.value) for part in value.elements] if isinstance(value, cst.Tuple) else [dotted(value)]


def take_result(tree: Tree, cure: Cure) -> list[Rewrite] | None:
    """`torch.add(x, 1, out=y)` to `y = torch.add(x, 1)`; where the result is used, `out=` is only dropped."""
    call = tree.at(cure.sites[0].span, cst.Call)
    out = next((arg for arg in call.args if keyword(arg) == "out"), None) if call else None
    result = without(call, out) if call is not None and out is not None else None
    if call is None or out is None or result is None:
        return None
    statement = tree.parent(call)
    if not isinstance(statement, cst.Expr):
        return [replace(call, result)]
    if not isinstance(out.value, cst.Name) or not tree.may_bind(out.value.value, statement):
        return None
    return [replace(statement, cst.Assign([cst.AssignTarget(out.value.deep_clone())], result))]
