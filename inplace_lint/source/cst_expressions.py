"""libcst to `ir`, for files that the running Python cannot parse: expressions and parameters."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

import libcst as cst
from libcst.metadata import CodeRange

from inplace_lint.source import ir
from inplace_lint.source.place import Span
from inplace_lint.source.spelling import LAMBDA

_BINARY = {
    "Add": "+",
    "Subtract": "-",
    "Multiply": "*",
    "Divide": "/",
    "FloorDivide": "//",
    "Modulo": "%",
    "Power": "**",
    "MatrixMultiply": "@",
    "BitAnd": "&",
    "BitOr": "|",
    "BitXor": "^",
    "LeftShift": "<<",
    "RightShift": ">>",
}
_UNARY = {"Minus": "-", "Plus": "+", "BitInvert": "~", "Not": "not"}
_COMPARE = {
    "Equal": "==",
    "NotEqual": "!=",
    "LessThan": "<",
    "LessThanEqual": "<=",
    "GreaterThan": ">",
    "GreaterThanEqual": ">=",
    "Is": "is",
    "IsNot": "is not",
    "In": "in",
    "NotIn": "not in",
}
_CONSTANTS = {"None": None, "True": True, "False": False}


def dotted(node: cst.BaseExpression) -> str:
    """`a.b.c` of a chain of attributes; empty for anything else."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute):
        return f"{dotted(node.value)}.{node.attr.value}"
    return ""


class ExpressionLowering:
    """Turns expressions into `ir`, given the position of every node."""

    def __init__(self, positions: Mapping[cst.CSTNode, CodeRange]) -> None:
        self._positions = positions

    def span(self, node: cst.CSTNode) -> Span:
        """Where a node stands, without the white space around it."""
        place = self._positions[node]
        return Span(place.start.line, place.start.column + 1, place.end.line, place.end.column + 1)

    def expression(self, node: cst.CSTNode) -> ir.Expr:
        """Any expression; what has no meaning here becomes `Opaque`."""
        method = getattr(self, f"_{type(node).__name__}", None)
        if method is not None:
            result: ir.Expr = method(node)
            return result
        parts = tuple(self.expression(child) for child in node.children if isinstance(child, cst.BaseExpression))
        return ir.Opaque(self.span(node), parts)

    def parameters(self, node: cst.Parameters) -> tuple[ir.Param, ...]:
        """The parameters of a function or lambda, in order."""
        params = [self._param(param, "positional") for param in (*node.posonly_params, *node.params)]
        if isinstance(node.star_arg, cst.Param):
            params.append(self._param(node.star_arg, "args"))
        params.extend(self._param(param, "keyword") for param in node.kwonly_params)
        if node.star_kwarg is not None:
            params.append(self._param(node.star_kwarg, "kwargs"))
        return tuple(params)

    def _param(self, node: cst.Param, kind: str) -> ir.Param:
        return ir.Param(
            self.span(node.name),
            node.name.value,
            kind,  # type: ignore[arg-type]
            self.expression(node.default) if node.default else None,
            self.expression(node.annotation.annotation) if node.annotation else None,
        )

    def argument(self, node: cst.Arg) -> ir.Arg:
        """An argument of a call, or a base of a class."""
        keyword = node.keyword.value if node.keyword else None
        return ir.Arg(self.span(node), self.expression(node.value), keyword, node.star)

    def _Name(self, node: cst.Name) -> ir.Expr:
        if node.value in _CONSTANTS:
            return ir.Const(self.span(node), _CONSTANTS[node.value])
        return ir.Name(self.span(node), node.value)

    def _Integer(self, node: cst.Integer) -> ir.Expr:
        return ir.Const(self.span(node), int(node.value.replace("_", ""), 0) if len(node.value) < 4000 else 0)

    def _Float(self, node: cst.Float) -> ir.Expr:
        return ir.Const(self.span(node), float(node.value.replace("_", "")))

    def _Imaginary(self, node: cst.Imaginary) -> ir.Expr:
        return ir.Const(self.span(node), 1j)

    def _Ellipsis(self, node: cst.Ellipsis) -> ir.Expr:
        return ir.Const(self.span(node), ...)

    def _SimpleString(self, node: cst.SimpleString) -> ir.Expr:
        try:
            value = ast.literal_eval(node.value)
        except (ValueError, SyntaxError):
            value = node.raw_value
        return ir.Const(self.span(node), value)

    def _ConcatenatedString(self, node: cst.ConcatenatedString) -> ir.Expr:
        left, right = self.expression(node.left), self.expression(node.right)
        if isinstance(left, ir.Const) and isinstance(right, ir.Const) and type(left.value) is type(right.value):
            return ir.Const(self.span(node), left.value + right.value)  # type: ignore[operator]
        if any(isinstance(part, ir.Opaque) for part in (left, right)):
            return ir.Opaque(self.span(node), (*_fields(left), *_fields(right)))
        return ir.Text(self.span(node), _joined((*_text_parts(left), *_text_parts(right))))

    def _FormattedString(self, node: cst.FormattedString) -> ir.Expr:
        fields = [part for part in node.parts if isinstance(part, cst.FormattedStringExpression)]
        if any(field.conversion or field.format_spec is not None or field.equal is not None for field in fields):
            return ir.Opaque(self.span(node), tuple(self.expression(field.expression) for field in fields))
        return ir.Text(self.span(node), tuple(self._text_part(node, part) for part in node.parts))

    def _text_part(self, node: cst.FormattedString, part: cst.BaseFormattedStringContent) -> ir.Expr | str:
        if isinstance(part, cst.FormattedStringExpression):
            return self.expression(part.expression)
        assert isinstance(part, cst.FormattedStringText)
        plain = f"{node.start.lower().replace('f', '')}{part.value}{node.end}"
        return str(ast.literal_eval(plain)).replace("{{", "{").replace("}}", "}")

    def _Attribute(self, node: cst.Attribute) -> ir.Expr:
        return ir.Attr(self.span(node), self.expression(node.value), node.attr.value)

    def _Subscript(self, node: cst.Subscript) -> ir.Expr:
        items = [self._subscript_element(element.slice) for element in node.slice]
        single = len(items) == 1 and not isinstance(node.slice[0].comma, cst.Comma)
        index = items[0] if single else ir.Sequence(self.span(node), "tuple", tuple(items))
        return ir.Index(self.span(node), self.expression(node.value), index)

    def _subscript_element(self, node: cst.BaseSlice) -> ir.Expr:
        if isinstance(node, cst.Slice):
            lower, upper, step = (self.expression(part) if part else None for part in _bounds(node))
            return ir.Slice(self.span(node), lower, upper, step)
        assert isinstance(node, cst.Index)
        value = self.expression(node.value)
        return ir.Starred(value.span, value) if node.star else value

    def _elements(self, elements: object) -> tuple[ir.Expr, ...]:
        items: list[ir.Expr] = []
        for element in elements:  # type: ignore[attr-defined]
            value = self.expression(element.value)
            items.append(ir.Starred(value.span, value) if isinstance(element, cst.StarredElement) else value)
        return tuple(items)

    def _Tuple(self, node: cst.Tuple) -> ir.Expr:
        return ir.Sequence(self.span(node), "tuple", self._elements(node.elements))

    def _List(self, node: cst.List) -> ir.Expr:
        return ir.Sequence(self.span(node), "list", self._elements(node.elements))

    def _Set(self, node: cst.Set) -> ir.Expr:
        return ir.Sequence(self.span(node), "set", self._elements(node.elements))

    def _StarredElement(self, node: cst.StarredElement) -> ir.Expr:
        return ir.Starred(self.span(node.value), self.expression(node.value))

    def _Dict(self, node: cst.Dict) -> ir.Expr:
        items: list[tuple[ir.Expr | None, ir.Expr]] = []
        for element in node.elements:
            key = self.expression(element.key) if isinstance(element, cst.DictElement) else None
            items.append((key, self.expression(element.value)))
        return ir.Dict(self.span(node), tuple(items))

    def _Call(self, node: cst.Call) -> ir.Expr:
        return ir.Call(self.span(node), self.expression(node.func), tuple(map(self.argument, node.args)))

    def _BinaryOperation(self, node: cst.BinaryOperation) -> ir.Expr:
        op = _BINARY[type(node.operator).__name__]
        return ir.Binary(self.span(node), op, self.expression(node.left), self.expression(node.right))

    def _UnaryOperation(self, node: cst.UnaryOperation) -> ir.Expr:
        op, value = _UNARY[type(node.operator).__name__], self.expression(node.expression)
        if op == "-" and isinstance(value, ir.Const) and isinstance(value.value, (int, float)):
            return ir.Const(self.span(node), -value.value)
        return ir.Unary(self.span(node), op, value)

    def _Comparison(self, node: cst.Comparison) -> ir.Expr:
        rest = tuple(
            (_COMPARE[type(target.operator).__name__], self.expression(target.comparator))
            for target in node.comparisons
        )
        return ir.Compare(self.span(node), self.expression(node.left), rest)

    def _BooleanOperation(self, node: cst.BooleanOperation) -> ir.Expr:
        left, right = self.expression(node.left), self.expression(node.right)
        return ir.BoolOp(self.span(node), "and" if isinstance(node.operator, cst.And) else "or", left, right)

    def _IfExp(self, node: cst.IfExp) -> ir.Expr:
        test, then, orelse = map(self.expression, (node.test, node.body, node.orelse))
        return ir.IfExp(self.span(node), test, then, orelse)

    def _Lambda(self, node: cst.Lambda) -> ir.Expr:
        body = ir.Return(self.span(node.body), self.expression(node.body))
        span = self.span(node)
        return ir.Lambda(span, ir.Function(span, LAMBDA, self.parameters(node.params), lambda: (body,)))

    def _clauses(self, node: cst.CompFor | None) -> tuple[ir.Clause, ...]:
        clauses: list[ir.Clause] = []
        while node is not None:
            conditions = tuple(self.expression(condition.test) for condition in node.ifs)
            target, iterable = self.expression(node.target), self.expression(node.iter)
            clauses.append(ir.Clause(self.span(node), target, iterable, conditions))
            node = node.inner_for_in
        return tuple(clauses)

    def _ListComp(self, node: cst.ListComp | cst.SetComp | cst.GeneratorExp) -> ir.Expr:
        kinds = {cst.ListComp: "list", cst.SetComp: "set", cst.GeneratorExp: "generator"}
        element, clauses = self.expression(node.elt), self._clauses(node.for_in)
        return ir.Comprehension(self.span(node), kinds[type(node)], None, element, clauses)  # type: ignore[arg-type]

    _SetComp = _GeneratorExp = _ListComp

    def _DictComp(self, node: cst.DictComp) -> ir.Expr:
        key, value = self.expression(node.key), self.expression(node.value)
        return ir.Comprehension(self.span(node), "dict", key, value, self._clauses(node.for_in))

    def _NamedExpr(self, node: cst.NamedExpr) -> ir.Expr:
        value = self.expression(node.value)
        if isinstance(node.target, cst.Name):
            return ir.Named(self.span(node), ir.Name(self.span(node.target), node.target.value), value)
        return value

    def _Yield(self, node: cst.Yield) -> ir.Expr:
        if isinstance(node.value, cst.From):
            return ir.Yield(self.span(node), "from", self.expression(node.value.item))
        return ir.Yield(self.span(node), "yield", self.expression(node.value) if node.value else None)

    def _Await(self, node: cst.Await) -> ir.Expr:
        return ir.Yield(self.span(node), "await", self.expression(node.expression))


def _bounds(node: cst.Slice) -> tuple[cst.BaseExpression | None, ...]:
    return node.lower, node.upper, node.step


def _text_parts(node: ir.Expr) -> tuple[ir.Expr | str, ...]:
    """What a string that stands beside others puts into their text."""
    return node.parts if isinstance(node, ir.Text) else (str(node.value),) if isinstance(node, ir.Const) else (node,)


def _fields(node: ir.Expr) -> Iterator[ir.Expr]:
    """The expressions in a string that stands beside others."""
    if isinstance(node, (ir.Text, ir.Opaque)):
        yield from (part for part in node.parts if not isinstance(part, str))


def _joined(parts: Sequence[ir.Expr | str]) -> tuple[ir.Expr | str, ...]:
    """The parts of a text, without borders between strings."""
    joined: list[ir.Expr | str] = []
    for part in parts:
        last = joined[-1] if joined else None
        if isinstance(part, str) and isinstance(last, str):
            joined[-1] = last + part
        else:
            joined.append(part)
    return tuple(joined)
