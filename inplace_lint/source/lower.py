"""`ast` to `ir`: statements and files. Bodies of functions are lowered on demand."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from inplace_lint.phases import within
from inplace_lint.source import ir
from inplace_lint.source.expressions import OPERATORS, ExpressionLowering, methods
from inplace_lint.source.parsing import parse_once
from inplace_lint.source.patterns import Capture, Case, Either, Equals, IsInstance, Pattern, Unsure, branches, items
from inplace_lint.source.place import Span
from inplace_lint.source.positions import Positions
from inplace_lint.source.syntax import Function


def lower(text: str, path: str, keep: bool = True) -> ir.Module:
    """Parse a file.

    Args:
        keep: the syntax trees of functions are kept until somebody asks for their bodies; if not, their text is, which
            takes a tenth of the memory, and is parsed again.

    Raises:
        SourceError: the text is not Python; the site is where the parser gave up.
    """
    tree, refused = parse_once(text, path)
    if tree is not None:
        return lowered(tree, text, path, keep)
    # Late, since libcst is slow to import.
    from inplace_lint.source.cst_lowering import lower_with_libcst

    return lower_with_libcst(text, path, refused)


def lowered(tree: ast.Module, text: str, path: str, keep: bool = True) -> ir.Module:
    """The `ir` of a file that has been parsed."""
    lines = None if keep else text.split("\n")
    with within("lower"):
        return ir.Module(path, Lowering(Positions(text), path, lines).block(tree.body))


class Lowering(ExpressionLowering):
    """Turns statements into `ir`.

    Args:
        positions: tells where nodes stand.
        path: the file.
        lines: of the text, if functions shall be kept as text.
    """

    def __init__(self, positions: Positions, path: str, lines: Sequence[str] | None = None) -> None:
        super().__init__(positions, path)
        self._kept_lines = lines

    def block(self, body: Sequence[ast.stmt]) -> tuple[ir.Stmt, ...]:
        """The statements of a module or a block."""
        statements: list[ir.Stmt] = []
        for node in body:
            method = _METHODS.get(type(node))
            if method is not None:
                self.descend(node)
                result = method(self, node)
                self._depth -= 1
                statements.extend(result if isinstance(result, list) else [result])
        return tuple(statements)

    def _body(self, node: Function) -> Callable[[], tuple[ir.Stmt, ...]]:
        """What makes the body of a function some time later."""
        if self._kept_lines is None:
            return lambda: self._now(node.body)
        text = "\n".join(self._kept_lines[node.lineno - 1 : node.end_lineno])
        return partial(_read_body, text, node.lineno, self._path)

    def _now(self, body: Sequence[ast.stmt]) -> tuple[ir.Stmt, ...]:
        self._depth = 0
        with within("lower"):
            return self.block(body)

    def _Expr(self, node: ast.Expr) -> ir.Stmt:
        return ir.ExprStmt(self.span(node), self.expression(node.value))

    def _Assign(self, node: ast.Assign) -> ir.Stmt:
        return ir.Assign(self.span(node), tuple(map(self.expression, node.targets)), self.expression(node.value))

    def _AnnAssign(self, node: ast.AnnAssign) -> ir.Stmt:
        target, annotation = self.expression(node.target), self.expression(node.annotation)
        if node.value is None:
            return ir.Declare(self.span(node), target, annotation)
        return ir.Assign(self.span(node), (target,), self.expression(node.value), annotation)

    def _AugAssign(self, node: ast.AugAssign) -> ir.Stmt:
        target, value = self.expression(node.target), self.expression(node.value)
        return ir.AugAssign(self.span(node), OPERATORS[type(node.op)], target, value)

    def _If(self, node: ast.If) -> ir.Stmt:
        return ir.If(self.span(node.test), self.expression(node.test), self.block(node.body), self.block(node.orelse))

    def _While(self, node: ast.While) -> ir.Stmt:
        return ir.While(
            self.span(node.test), self.expression(node.test), self.block(node.body), self.block(node.orelse)
        )

    def _For(self, node: ast.For | ast.AsyncFor) -> ir.Stmt:
        target, iterable = self.expression(node.target), self.expression(node.iter)
        return ir.For(iterable.span, target, iterable, self.block(node.body), self.block(node.orelse))

    def _AsyncFor(self, node: ast.AsyncFor) -> ir.Stmt:
        return self._For(node)

    def _With(self, node: ast.With | ast.AsyncWith) -> ir.Stmt:
        items = tuple((self.expression(item.context_expr), self.optional(item.optional_vars)) for item in node.items)
        first, name = items[0]
        start, end = first.span, name.span if name is not None else first.span
        span = Span(start.row, start.column, end.end_row, end.end_column)
        return ir.With(span, items, self.block(node.body))

    def _AsyncWith(self, node: ast.AsyncWith) -> ir.Stmt:
        return self._With(node)

    def _Try(self, node: ast.Try) -> ir.Stmt:
        handlers = tuple((handler.name, self.block(handler.body)) for handler in node.handlers)
        body, orelse = self.block(node.body), self.block(node.orelse)
        return ir.Try(self.span(node), body, handlers, orelse, self.block(node.finalbody))

    def _TryStar(self, node: Any) -> ir.Stmt:  # there is no `ast.TryStar` before Python 3.11
        return self._Try(node)

    def _Match(self, node: ast.Match) -> list[ir.Stmt]:
        cases = []
        for case in node.cases:
            guard = self.expression(case.guard) if case.guard is not None else None
            cases.append(Case(self._pattern(case.pattern), guard, self.block(case.body)))
        return list(branches(self.expression(node.subject), cases))

    def _pattern(self, node: ast.pattern) -> Pattern:
        span = self.span(node)
        if isinstance(node, ast.MatchValue):
            return Equals(span, self.expression(node.value))
        if isinstance(node, ast.MatchSingleton):
            return Equals(span, ir.Const(span, node.value), same=True)
        if isinstance(node, ast.MatchAs):
            name = None
            if node.name is not None:
                place = Span(span.end_row, span.end_column - len(node.name), span.end_row, span.end_column)
                name = ir.Name(place, node.name)
            return Capture(span, name, self._pattern(node.pattern) if node.pattern is not None else None)
        if isinstance(node, ast.MatchOr):
            return Either(span, tuple(map(self._pattern, node.patterns)))
        if isinstance(node, ast.MatchClass):
            keywords = zip(node.kwd_attrs, map(self._pattern, node.kwd_patterns), strict=True)
            return IsInstance(
                span, self.expression(node.cls), tuple(map(self._pattern, node.patterns)), tuple(keywords)
            )
        if isinstance(node, ast.MatchSequence) and not any(isinstance(each, ast.MatchStar) for each in node.patterns):
            return items(list(map(self._pattern, node.patterns)), span)
        return Unsure(span, tuple(ir.Name(place, name) for place, name in self._captured(node)))

    def _captured(self, pattern: ast.pattern) -> list[tuple[Span, str]]:
        """The names that a `case` pattern binds."""
        found: list[tuple[Span, str]] = []
        for node in ast.walk(pattern):
            name = node.rest if isinstance(node, ast.MatchMapping) else getattr(node, "name", None)
            if isinstance(name, str) and isinstance(node, (ast.MatchAs, ast.MatchStar, ast.MatchMapping)):
                whole = self.span(node)
                ends = isinstance(node, (ast.MatchAs, ast.MatchStar))  # with the name
                start = (whole.end_row, whole.end_column - len(name)) if ends else (whole.row, whole.column)
                found.append((Span(*start, whole.end_row, whole.end_column), name))
        return sorted(found, key=lambda each: (each[0].row, each[0].column))

    def _Return(self, node: ast.Return) -> ir.Stmt:
        return ir.Return(self.span(node), self.optional(node.value))

    def _Raise(self, node: ast.Raise) -> ir.Stmt:
        return ir.Raise(self.span(node), self.optional(node.exc))

    def _Assert(self, node: ast.Assert) -> ir.Stmt:
        return ir.Assert(self.span(node), self.expression(node.test))

    def _Break(self, node: ast.Break) -> ir.Stmt:
        return ir.Jump(self.span(node), "break")

    def _Continue(self, node: ast.Continue) -> ir.Stmt:
        return ir.Jump(self.span(node), "continue")

    def _Delete(self, node: ast.Delete) -> ir.Stmt:
        targets = [
            each for target in node.targets for each in (target.elts if isinstance(target, ast.Tuple) else [target])
        ]
        return ir.Delete(self.span(node), tuple(map(self.expression, targets)))

    def _Global(self, node: ast.Global) -> ir.Stmt:
        return ir.Scope(self.span(node), "global", tuple(node.names))

    def _Nonlocal(self, node: ast.Nonlocal) -> ir.Stmt:
        return ir.Scope(self.span(node), "nonlocal", tuple(node.names))

    def _FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ir.Stmt:
        span = self._positions.name(node)
        function = ir.Function(
            span,
            node.name,
            self.parameters(node.args),
            self._body(node),
            tuple(map(self.expression, node.decorator_list)),
            self.optional(node.returns),
        )
        return ir.FunctionDef(span, function)

    def _AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ir.Stmt:
        return self._FunctionDef(node)

    def _ClassDef(self, node: ast.ClassDef) -> ir.Stmt:
        bases = self.arguments(node.bases, node.keywords)
        decorators = tuple(map(self.expression, node.decorator_list))
        return ir.ClassDef(self._positions.name(node), node.name, bases, self.block(node.body), decorators)

    def _Import(self, node: ast.Import) -> list[ir.Stmt]:
        span = self.span(node)
        return [
            ir.Import(span, alias.name, alias.asname or alias.name.partition(".")[0], alias.asname is not None)
            for alias in node.names
        ]

    def _ImportFrom(self, node: ast.ImportFrom) -> ir.Stmt:
        names = tuple((alias.name, alias.asname or alias.name) for alias in node.names)
        return ir.ImportFrom(self.span(node), node.module or "", node.level, names)


_METHODS = methods(Lowering)


def _read_body(text: str, row: int, path: str) -> tuple[ir.Stmt, ...]:
    """The body of a function that is given as text, as it stands in a file from some row on."""
    indented = text.lstrip("\f")[:1] in (" ", "\t")
    rows_before = "\n" * (row - 2) + "if 1:\n" if indented else "\n" * (row - 1)
    whole = rows_before + text + "\n\n"  # the last row may end in a backslash
    with within("parse"):
        tree: Any = ast.parse(whole)
    [function] = tree.body[0].body if indented else tree.body
    with within("lower"):
        return Lowering(Positions(whole), path).block(function.body)
