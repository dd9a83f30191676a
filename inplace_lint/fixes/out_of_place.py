"""The out-of-place form of an in-place op: `torch.sigmoid_(x)`, `x += y`, `F.relu(x, inplace=True)`."""

from __future__ import annotations

import libcst as cst

from inplace_lint.findings.cure import Cure
from inplace_lint.fixes.arguments import without_inplace
from inplace_lint.fixes.rewrite import Rewrite, replace
from inplace_lint.fixes.tree import Tree, dotted, keyword

_BINARY: dict[type[cst.BaseAugOp], type[cst.BaseBinaryOp]] = {
    cst.AddAssign: cst.Add,
    cst.SubtractAssign: cst.Subtract,
    cst.MultiplyAssign: cst.Multiply,
    cst.DivideAssign: cst.Divide,
    cst.FloorDivideAssign: cst.FloorDivide,
    cst.ModuloAssign: cst.Modulo,
    cst.PowerAssign: cst.Power,
    cst.MatrixMultiplyAssign: cst.MatrixMultiply,
    cst.BitAndAssign: cst.BitAnd,
    cst.BitOrAssign: cst.BitOr,
    cst.BitXorAssign: cst.BitXor,
    cst.LeftShiftAssign: cst.LeftShift,
    cst.RightShiftAssign: cst.RightShift,
}


def use_twin(tree: Tree, cure: Cure) -> list[Rewrite] | None:
    """Replace an in-place op by its twin; where its result was not used, bind the name to the new tensor."""
    span = cure.sites[0].span
    augmented = tree.at(span, cst.AugAssign)
    if augmented is not None:
        return _plain_assignment(tree, augmented, cure.name)
    call = tree.at(span, cst.Call)
    if call is None or not isinstance(call.func, (cst.Attribute, cst.Name)):
        return None
    twin = _renamed(call.func) or without_inplace(call)
    if twin is None or not cure.alone:
        return [twin] if twin is not None else None
    bound = _bound(tree, call, cure.name)
    return [bound, twin] if bound is not None else None


def module_out_of_place(tree: Tree, cure: Cure) -> list[Rewrite] | None:
    """`nn.ReLU(inplace=True)` to `nn.ReLU()`, where the module is constructed."""
    call = tree.at(cure.sites[0].span, cst.Call)
    twin = without_inplace(call) if call is not None else None
    return [twin] if twin is not None else None


def _renamed(func: cst.BaseExpression) -> Rewrite | None:
    if not isinstance(func, cst.Attribute) or not func.attr.value.endswith("_"):
        return None
    return replace(func.attr, cst.Name(func.attr.value[:-1]))


def _bound(tree: Tree, call: cst.Call, name: str) -> Rewrite | None:
    """Give the result of a statement the name of what it used to overwrite."""
    statement = tree.statement_at(tree.span(call))
    if not name or not isinstance(statement, cst.Expr) or not tree.may_bind(name, statement):
        return None
    positional = [arg.value for arg in call.args if arg.keyword is None and not arg.star]
    operands = [*positional[:1], *(arg.value for arg in call.args if keyword(arg) == "input")]
    if isinstance(call.func, cst.Attribute):
        operands.append(call.func.value)
    written = next((operand for operand in operands if dotted(operand) == name), None)
    if not isinstance(written, (cst.Name, cst.Attribute)):
        return None
    return replace(statement, cst.Assign([cst.AssignTarget(written.deep_clone())], statement.value))


def _plain_assignment(tree: Tree, node: cst.AugAssign, name: str) -> list[Rewrite] | None:
    target = node.target
    if not name or dotted(target) != name or not isinstance(target, (cst.Name, cst.Attribute)):
        return None
    before, after = (
        cst.SimpleWhitespace(" ") if isinstance(space, cst.SimpleWhitespace) and not space.value else space
        for space in node.operator.children
    )
    operator = _BINARY[type(node.operator)]().with_changes(whitespace_after=after)
    result = cst.BinaryOperation(target.deep_clone(), operator, node.value)
    if not _reads_back(tree, result):
        result = result.with_changes(right=parenthesized(node.value))
    left = cst.AssignTarget(target).with_changes(whitespace_before_equal=before)
    return [replace(node, cst.Assign([left], result))]


def _reads_back(tree: Tree, node: cst.BinaryOperation) -> bool:
    """Whether Python groups an operation as it is meant without more parentheses."""
    code = tree.module.code_for_node(node)
    try:
        return cst.parse_expression(code, tree.module.config_for_parsing).deep_equals(node)
    except cst.ParserSyntaxError:
        return False


def parenthesized(node: cst.BaseExpression) -> cst.BaseExpression:
    """An expression in parentheses."""
    return node if node.lpar else node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
