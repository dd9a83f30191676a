"""The out-of-place twin of an in-place op: `torch.sigmoid_(x)`, `x += y`, `F.relu(x, inplace=True)`."""

from __future__ import annotations

import ast

from inplace_lint.cure import Cure
from inplace_lint.diagnostic import Edit, Span
from inplace_lint.fixes.tree import Tree, dotted, insertion, without_keyword

# How tightly operators bind, from loose to tight.
_TIGHTNESS: dict[type[ast.operator], int] = {
    ast.BitOr: 1,
    ast.BitXor: 2,
    ast.BitAnd: 3,
    ast.LShift: 4,
    ast.RShift: 4,
    ast.Add: 5,
    ast.Sub: 5,
    ast.Mult: 6,
    ast.Div: 6,
    ast.FloorDiv: 6,
    ast.Mod: 6,
    ast.MatMult: 6,
    ast.Pow: 8,
}
_UNARY = 7
_ATOMS = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Constant, ast.List, ast.Dict, ast.ListComp)


def use_twin(tree: Tree, cure: Cure) -> tuple[Edit, ...] | None:
    """Replace an in-place op by its twin; where its result was not used, bind the name to the new tensor."""
    span = cure.sites[0].span
    augmented = tree.at(span, ast.AugAssign)
    if augmented is not None:
        return _plain_assignment(tree, augmented, cure.name)
    call = tree.at(span, ast.Call)
    if call is None or not isinstance(call.func, (ast.Attribute, ast.Name)):
        return None
    bound = _bound(tree, call, cure) if cure.alone else ()
    renamed = _renamed(tree, call.func) or without_inplace(tree, call)
    return None if bound is None or renamed is None else (*bound, *renamed)


def module_out_of_place(tree: Tree, cure: Cure) -> tuple[Edit, ...] | None:
    """`nn.ReLU(inplace=True)` to `nn.ReLU()`, where the module is constructed."""
    call = tree.at(cure.sites[0].span, ast.Call)
    return without_inplace(tree, call) if call is not None else None


def _renamed(tree: Tree, func: ast.Attribute | ast.Name) -> tuple[Edit, ...] | None:
    name = func.attr if isinstance(func, ast.Attribute) else ""
    if not name.endswith("_"):
        return None
    end = tree.span(func)
    return (Edit(Span(end.end_row, end.end_column - 1, end.end_row, end.end_column), ""),)


def _bound(tree: Tree, call: ast.Call, cure: Cure) -> tuple[Edit, ...] | None:
    """Give the result of a statement the name of what it used to overwrite."""
    statement = tree.statement(call)
    if not cure.name or not isinstance(statement, ast.Expr) or not tree.may_bind(cure.name, call):
        return None
    written = call.func.value if isinstance(call.func, ast.Attribute) else None
    operands = [written, *call.args[:1], *(keyword.value for keyword in call.keywords if keyword.arg == "input")]
    if not any(operand is not None and dotted(operand) == cure.name for operand in operands):
        return None
    span = tree.span(statement)
    return (insertion(span.row, span.column, f"{cure.name} = "),)


def _plain_assignment(tree: Tree, node: ast.AugAssign, name: str) -> tuple[Edit, ...] | None:
    target, value = tree.span(node.target), tree.span(node.value)
    if not name or dotted(node.target) != name:
        return None
    gap = Span(target.end_row, target.end_column, value.row, value.column)
    between = tree.between(gap)
    operator, equals, opening = between.partition("=")
    if not equals or ")" in operator or "\n" in operator:
        return None
    column = gap.column + len(operator) - len(operator.lstrip())
    sign = Span(gap.row, column, gap.row, gap.column + len(operator) + 1)
    spaces = (" " * operator.startswith(operator.strip()), "" if opening[:1].isspace() else " ")
    edits = (Edit(sign, f"{spaces[0]}= {name} {operator.strip()}{spaces[1]}"),)
    if "(" in opening or not _needs_brackets(node.value, node.op):
        return edits
    closing = insertion(value.end_row, value.end_column, ")")
    return (*edits, insertion(value.row, value.column, "("), closing)


def _needs_brackets(value: ast.expr, operator: ast.operator) -> bool:
    """Whether `x op value` would not be read as `x op (value)`."""
    if isinstance(value, ast.BinOp):
        inner, outer = _TIGHTNESS[type(value.op)], _TIGHTNESS[type(operator)]
        return inner < outer or (inner == outer and not isinstance(operator, ast.Pow))
    if isinstance(value, ast.UnaryOp):
        return isinstance(value.op, ast.Not)
    return not isinstance(value, _ATOMS)


def without_inplace(tree: Tree, call: ast.Call) -> tuple[Edit, ...] | None:
    """Take `inplace=True` out of a call; a bare `True` becomes `False`."""
    for keyword in call.keywords:
        if keyword.arg == "inplace" and isinstance(keyword.value, ast.Constant) and keyword.value.value is True:
            return without_keyword(tree, call, keyword) or (Edit(tree.span(keyword.value), "False"),)
    constants = [arg for arg in call.args if isinstance(arg, ast.Constant) and arg.value is True]
    return (Edit(tree.span(constants[-1]), "False"),) if len(constants) == 1 and not call.keywords else None
