"""Cures inside functions that autograd calls, and for results that were asked for through `out=`."""

from __future__ import annotations

import ast

from inplace_lint.cure import Cure
from inplace_lint.diagnostic import Edit
from inplace_lint.fixes.tree import Tree, dotted, insertion, without_keyword


def mark_dirty(tree: Tree, cure: Cure) -> tuple[Edit, ...] | None:
    """`ctx.mark_dirty(x)` before the write of `x`, an argument that `forward` returns."""
    statement = tree.statement_at(cure.sites[0].span)
    function = tree.function(statement) if statement is not None else None
    if statement is None or not isinstance(function, ast.FunctionDef):
        return None
    names = [arg.arg for arg in (*function.args.posonlyargs, *function.args.args)]
    if cure.name not in names[1:] or not _returns(function, cure.name):
        return None
    return (tree.before(statement, f"{names[0]}.mark_dirty({cure.name})"),)


def gives_back(tree: Tree, cure: Cure) -> bool:
    """Whether the function around a place returns the variable that is written there."""
    statement = tree.statement_at(cure.sites[0].span)
    function = tree.function(statement) if statement is not None else None
    return function is not None and _returns(function, cure.name)


def _returns(function: ast.AST, name: str) -> bool:
    """Whether a function returns the variable itself, alone or in a tuple, wherever it returns."""
    found = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
    return bool(found) and all(value is not None and name in _parts(value) for value in found)


def _parts(value: ast.expr) -> list[str]:
    return [dotted(part) for part in (value.elts if isinstance(value, ast.Tuple) else [value])]


def take_result(tree: Tree, cure: Cure) -> tuple[Edit, ...] | None:
    """`torch.add(x, 1, out=y)` to `y = torch.add(x, 1)`; where the result is used, `out=` is only dropped."""
    call = tree.at(cure.sites[0].span, ast.Call)
    out = next((keyword for keyword in call.keywords if keyword.arg == "out"), None) if call is not None else None
    statement = tree.parent(call) if call is not None else None
    gone = without_keyword(tree, call, out) if call is not None and out is not None else None
    if gone is None or out is None or not isinstance(statement, ast.Expr):
        return gone
    if not isinstance(out.value, ast.Name) or not tree.may_bind(out.value.id, statement):
        return None
    start = tree.span(statement)
    return (insertion(start.row, start.column, f"{out.value.id} = "), *gone)
