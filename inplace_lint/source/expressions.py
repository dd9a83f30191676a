"""`ast` to `ir`: expressions, parameters and arguments."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from inplace_lint.source import ir
from inplace_lint.source.parsing import DEEPEST, too_deep
from inplace_lint.source.place import Span
from inplace_lint.source.positions import Positions
from inplace_lint.source.spelling import LAMBDA

OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
_UNARY: dict[type[ast.unaryop], str] = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not"}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}


class ExpressionLowering:
    """Turns expressions into `ir`; methods are named after the nodes they read."""

    def __init__(self, positions: Positions, path: str) -> None:
        self._positions = positions
        self._path = path
        self._depth = 0
        self.span = positions.span

    def expression(self, node: ast.expr) -> ir.Expr:
        """Any expression; what has no meaning here becomes `Opaque`."""
        self.descend(node)
        method = _METHODS.get(type(node))
        result: ir.Expr = method(self, node) if method is not None else self._opaque(node)
        self._depth -= 1
        return result

    def descend(self, node: ast.AST) -> None:
        """Count a level. Raises SourceError at the bound."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise too_deep(node, self._path)

    def _opaque(self, node: ast.expr) -> ir.Expr:
        parts = tuple(self.expression(child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))
        return ir.Opaque(self.span(node), parts)

    def optional(self, node: ast.expr | None) -> ir.Expr | None:
        """An expression that may be missing."""
        return None if node is None else self.expression(node)

    def parameters(self, node: ast.arguments) -> tuple[ir.Param, ...]:
        """The parameters of a function or lambda, in order."""
        named = [*node.posonlyargs, *node.args]
        defaults = [None] * (len(named) - len(node.defaults)) + list(node.defaults)
        params = [self._param(param, "positional", default) for param, default in zip(named, defaults, strict=True)]
        if node.vararg is not None:
            params.append(self._param(node.vararg, "args", None))
        keywords = zip(node.kwonlyargs, node.kw_defaults, strict=True)
        params.extend(self._param(param, "keyword", default) for param, default in keywords)
        if node.kwarg is not None:
            params.append(self._param(node.kwarg, "kwargs", None))
        return tuple(params)

    def _param(self, node: ast.arg, kind: str, default: ast.expr | None) -> ir.Param:
        span = self._positions.word(node, len(node.arg))
        return ir.Param(span, node.arg, kind, self.optional(default), self.optional(node.annotation))  # type: ignore[arg-type]

    def arguments(self, given: Sequence[ast.expr], keywords: Sequence[ast.keyword]) -> tuple[ir.Arg, ...]:
        """The arguments of a call, or the bases of a class, in the order of the source."""
        args = [self._argument(node) for node in given]
        args += [self._keyword(node) for node in keywords]
        return tuple(sorted(args, key=lambda arg: (arg.span.row, arg.span.column)) if keywords else args)

    def _argument(self, node: ast.expr) -> ir.Arg:
        if isinstance(node, ast.Starred):
            return ir.Arg(self.span(node), self.expression(node.value), None, "*")
        value = self.expression(node)
        return ir.Arg(value.span, value)

    def _keyword(self, node: ast.keyword) -> ir.Arg:
        return ir.Arg(self.span(node), self.expression(node.value), node.arg, "" if node.arg else "**")

    def _Name(self, node: ast.Name) -> ir.Expr:
        return ir.Name(self.span(node), node.id)

    def _Constant(self, node: ast.Constant) -> ir.Expr:
        value = node.value
        if isinstance(value, complex):
            value = 1j
        elif isinstance(value, int) and value.bit_length() > 13_000:
            value = 0  # nobody needs it, and to print it takes long
        return ir.Const(self.span(node), value)

    def _JoinedStr(self, node: ast.JoinedStr) -> ir.Expr:
        fields = [part for part in node.values if isinstance(part, ast.FormattedValue)]
        if any(field.conversion != -1 or field.format_spec is not None for field in fields):
            return ir.Opaque(self.span(node), tuple(self.expression(field.value) for field in fields))
        return ir.Text(self.span(node), tuple(map(self._text_part, node.values)))

    def _text_part(self, node: ast.expr) -> ir.Expr | str:
        return str(node.value) if isinstance(node, ast.Constant) else self.expression(node.value)  # type: ignore[attr-defined]

    def _Attribute(self, node: ast.Attribute) -> ir.Expr:
        return ir.Attr(self.span(node), self.expression(node.value), node.attr)

    def _Subscript(self, node: ast.Subscript) -> ir.Expr:
        return ir.Index(self.span(node), self.expression(node.value), self.expression(node.slice))

    def _Slice(self, node: ast.Slice) -> ir.Expr:
        return ir.Slice(self.span(node), *map(self.optional, (node.lower, node.upper, node.step)))

    def _Starred(self, node: ast.Starred) -> ir.Expr:
        value = self.expression(node.value)
        return ir.Starred(value.span, value)

    def _Tuple(self, node: ast.Tuple) -> ir.Expr:
        span = self._positions.inside(node, node.elts[-1] if node.elts else None)
        return ir.Sequence(span, "tuple", tuple(map(self.expression, node.elts)))

    def _List(self, node: ast.List) -> ir.Expr:
        return ir.Sequence(self.span(node), "list", tuple(map(self.expression, node.elts)))

    def _Set(self, node: ast.Set) -> ir.Expr:
        return ir.Sequence(self.span(node), "set", tuple(map(self.expression, node.elts)))

    def _Dict(self, node: ast.Dict) -> ir.Expr:
        pairs = zip(node.keys, node.values, strict=True)
        return ir.Dict(self.span(node), tuple((self.optional(key), self.expression(value)) for key, value in pairs))

    def _Call(self, node: ast.Call) -> ir.Expr:
        return ir.Call(self.span(node), self.expression(node.func), self.arguments(node.args, node.keywords))

    def _BinOp(self, node: ast.BinOp) -> ir.Expr:
        left, right = self.expression(node.left), self.expression(node.right)
        return ir.Binary(self.span(node), OPERATORS[type(node.op)], left, right)

    def _UnaryOp(self, node: ast.UnaryOp) -> ir.Expr:
        op, value = _UNARY[type(node.op)], self.expression(node.operand)
        if op == "-" and isinstance(value, ir.Const) and isinstance(value.value, (int, float)):
            return ir.Const(self.span(node), -value.value)
        return ir.Unary(self.span(node), op, value)

    def _Compare(self, node: ast.Compare) -> ir.Expr:
        pairs = zip(node.ops, node.comparators, strict=True)
        rest = tuple((_COMPARE[type(op)], self.expression(right)) for op, right in pairs)
        return ir.Compare(self.span(node), self.expression(node.left), rest)

    def _BoolOp(self, node: ast.BoolOp) -> ir.Expr:
        op = "and" if isinstance(node.op, ast.And) else "or"
        result, *rest = [self.expression(value) for value in node.values]
        whole = self.span(node)
        for value in rest:
            end = whole if value is rest[-1] else value.span
            span = Span(whole.row, whole.column, end.end_row, end.end_column)
            result = ir.BoolOp(span, op, result, value)  # type: ignore[arg-type]
        return result

    def _IfExp(self, node: ast.IfExp) -> ir.Expr:
        test, then = self.expression(node.test), self.expression(node.body)
        return ir.IfExp(self.span(node), test, then, self.expression(node.orelse))

    def _Lambda(self, node: ast.Lambda) -> ir.Expr:
        value, span = self.expression(node.body), self.span(node)
        body = ir.Return(value.span, value)
        return ir.Lambda(span, ir.Function(span, LAMBDA, self.parameters(node.args), lambda: (body,)))

    def _clauses(self, node: Sequence[ast.comprehension]) -> tuple[ir.Clause, ...]:
        clauses = []
        for clause in node:
            target, iterable = self.expression(clause.target), self.expression(clause.iter)
            clauses.append(ir.Clause(target.span, target, iterable, tuple(map(self.expression, clause.ifs))))
        return tuple(clauses)

    def _ListComp(self, node: ast.ListComp | ast.SetComp) -> ir.Expr:
        kind = "list" if isinstance(node, ast.ListComp) else "set"
        element, clauses = self.expression(node.elt), self._clauses(node.generators)
        return ir.Comprehension(self.span(node), kind, None, element, clauses)  # type: ignore[arg-type]

    def _SetComp(self, node: ast.SetComp) -> ir.Expr:
        return self._ListComp(node)

    def _GeneratorExp(self, node: ast.GeneratorExp) -> ir.Expr:
        element, clauses = self.expression(node.elt), self._clauses(node.generators)
        last = node.generators[-1]
        span = self._positions.inside(node, last.ifs[-1] if last.ifs else last.iter)
        return ir.Comprehension(span, "generator", None, element, clauses)

    def _DictComp(self, node: ast.DictComp) -> ir.Expr:
        key, value = self.expression(node.key), self.expression(node.value)
        return ir.Comprehension(self.span(node), "dict", key, value, self._clauses(node.generators))

    def _NamedExpr(self, node: ast.NamedExpr) -> ir.Expr:
        return ir.Named(self.span(node), ir.Name(self.span(node.target), node.target.id), self.expression(node.value))

    def _Yield(self, node: ast.Yield) -> ir.Expr:
        return ir.Yield(self.span(node), "yield", self.optional(node.value))

    def _YieldFrom(self, node: ast.YieldFrom) -> ir.Expr:
        return ir.Yield(self.span(node), "from", self.expression(node.value))

    def _Await(self, node: ast.Await) -> ir.Expr:
        return ir.Yield(self.span(node), "await", self.expression(node.value))


def methods(cls: type) -> dict[type, Callable[..., Any]]:
    """The methods of a lowering, by the kind of node that each is named after."""
    kinds = {name: getattr(ast, name[1:], None) for name in vars(cls)}
    return {kind: vars(cls)[name] for name, kind in kinds.items() if isinstance(kind, type)}


_METHODS = methods(ExpressionLowering)
