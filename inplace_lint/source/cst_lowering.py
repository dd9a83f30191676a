"""libcst to `ir`, for files that the running Python cannot parse: statements and files."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from inplace_lint.source import ir
from inplace_lint.source.cst_expressions import ExpressionLowering, dotted
from inplace_lint.source.errors import SourceError, TooLarge
from inplace_lint.source.parsing import holds_more_than
from inplace_lint.source.patterns import Capture, Case, Either, Equals, IsInstance, Pattern, Unsure, branches, items
from inplace_lint.source.place import Site, Span

_AUGMENTED = {
    "AddAssign": "+",
    "SubtractAssign": "-",
    "MultiplyAssign": "*",
    "DivideAssign": "/",
    "FloorDivideAssign": "//",
    "ModuloAssign": "%",
    "PowerAssign": "**",
    "MatrixMultiplyAssign": "@",
    "BitAndAssign": "&",
    "BitOrAssign": "|",
    "BitXorAssign": "^",
    "LeftShiftAssign": "<<",
    "RightShiftAssign": ">>",
}


# libcst takes seven times as long as `ast`, and more memory.
_MOST_TOKENS = 60_000


def lower_with_libcst(text: str, path: str, refused: SourceError | None) -> ir.Module:
    """Parse a file that the running Python refuses.

    Raises:
        SourceError: `refused`, if no version of Python understands the text.
    """
    if holds_more_than(_MOST_TOKENS, text):
        raise refused or TooLarge(f"has more than {_MOST_TOKENS} tokens", Site(path, Span(1, 1, 1, 1)))
    try:
        module = cst.parse_module(text)
    except cst.ParserSyntaxError as error:
        row, column = max(error.raw_line, 1), max(error.raw_column, 0) + 1
        site = Site(path, Span(row, column, row, column + 1))
        raise refused or SourceError("syntax error near this place", site) from error
    wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
    return ir.Module(path, Lowering(wrapper.resolve(PositionProvider)).block(wrapper.module.body))


class Lowering(ExpressionLowering):
    """Turns statements into `ir`, given the position of every node."""

    def block(self, body: cst.BaseSuite | Sequence[cst.CSTNode]) -> tuple[ir.Stmt, ...]:
        """The statements of a module, an indented block or a one-line suite."""
        statements: list[ir.Stmt] = []
        for node in body.body if isinstance(body, cst.BaseSuite) else body:
            if isinstance(node, cst.SimpleStatementLine):
                for small in node.body:
                    statements.extend(self._statement(small))
            else:
                statements.extend(self._statement(node))
        return tuple(statements)

    def _statement(self, node: cst.CSTNode) -> list[ir.Stmt]:
        method = getattr(self, f"_{type(node).__name__}", None)
        if method is None:
            return []
        result = method(node)
        return result if isinstance(result, list) else [result]

    def _Expr(self, node: cst.Expr) -> ir.Stmt:
        return ir.ExprStmt(self.span(node), self.expression(node.value))

    def _Assign(self, node: cst.Assign) -> ir.Stmt:
        targets = tuple(self.expression(target.target) for target in node.targets)
        return ir.Assign(self.span(node), targets, self.expression(node.value))

    def _AnnAssign(self, node: cst.AnnAssign) -> ir.Stmt:
        target, annotation = self.expression(node.target), self.expression(node.annotation.annotation)
        if node.value is None:
            return ir.Declare(self.span(node), target, annotation)
        return ir.Assign(self.span(node), (target,), self.expression(node.value), annotation)

    def _AugAssign(self, node: cst.AugAssign) -> ir.Stmt:
        op = _AUGMENTED[type(node.operator).__name__]
        return ir.AugAssign(self.span(node), op, self.expression(node.target), self.expression(node.value))

    def _If(self, node: cst.If) -> ir.Stmt:
        orelse: tuple[ir.Stmt, ...] = ()
        if isinstance(node.orelse, cst.If):
            orelse = (self._If(node.orelse),)
        elif node.orelse is not None:
            orelse = self.block(node.orelse.body)
        return ir.If(self.span(node.test), self.expression(node.test), self.block(node.body), orelse)

    def _While(self, node: cst.While) -> ir.Stmt:
        orelse = self.block(node.orelse.body) if node.orelse else ()
        return ir.While(self.span(node.test), self.expression(node.test), self.block(node.body), orelse)

    def _For(self, node: cst.For) -> ir.Stmt:
        target, iterable = self.expression(node.target), self.expression(node.iter)
        orelse = self.block(node.orelse.body) if node.orelse else ()
        return ir.For(self.span(node.iter), target, iterable, self.block(node.body), orelse)

    def _With(self, node: cst.With) -> ir.Stmt:
        items = tuple(
            (self.expression(item.item), self.expression(item.asname.name) if item.asname else None)
            for item in node.items
        )
        return ir.With(self.span(node.items[0]), items, self.block(node.body))

    def _Try(self, node: cst.Try | cst.TryStar) -> ir.Stmt:
        handlers = []
        for handler in node.handlers:
            name = handler.name.name if handler.name else None
            handlers.append((name.value if isinstance(name, cst.Name) else None, self.block(handler.body)))
        return ir.Try(
            self.span(node),
            self.block(node.body),
            tuple(handlers),
            self.block(node.orelse.body) if node.orelse else (),
            self.block(node.finalbody.body) if node.finalbody else (),
        )

    _TryStar = _Try

    def _Match(self, node: cst.Match) -> list[ir.Stmt]:
        cases = []
        for case in node.cases:
            guard = self.expression(case.guard) if case.guard is not None else None
            cases.append(Case(self._pattern(case.pattern), guard, self.block(case.body)))
        return list(branches(self.expression(node.subject), cases))

    def _pattern(self, node: cst.MatchPattern) -> Pattern:
        span = self.span(node)
        if isinstance(node, cst.MatchValue):
            return Equals(span, self.expression(node.value))
        if isinstance(node, cst.MatchSingleton):
            return Equals(span, self.expression(node.value), same=True)
        if isinstance(node, cst.MatchAs):
            name = ir.Name(self.span(node.name), node.name.value) if node.name is not None else None
            return Capture(span, name, self._pattern(node.pattern) if node.pattern is not None else None)
        if isinstance(node, cst.MatchOr):
            return Either(span, tuple(self._pattern(each.pattern) for each in node.patterns))
        if isinstance(node, cst.MatchClass):
            positions = tuple(self._pattern(each.value) for each in node.patterns)
            keywords = tuple((each.key.value, self._pattern(each.pattern)) for each in node.kwds)
            return IsInstance(span, self.expression(node.cls), positions, keywords)
        if isinstance(node, cst.MatchSequence):
            elements = [each for each in node.patterns if isinstance(each, cst.MatchSequenceElement)]
            if len(elements) == len(node.patterns):
                return items([self._pattern(each.value) for each in elements], span)
        names = [ir.Name(self.span(place), name.value) for place, name in _captured(node)]
        return Unsure(span, tuple(sorted(names, key=lambda each: (each.span.row, each.span.column))))

    def _Return(self, node: cst.Return) -> ir.Stmt:
        return ir.Return(self.span(node), self.expression(node.value) if node.value else None)

    def _Raise(self, node: cst.Raise) -> ir.Stmt:
        return ir.Raise(self.span(node), self.expression(node.exc) if node.exc else None)

    def _Assert(self, node: cst.Assert) -> ir.Stmt:
        return ir.Assert(self.span(node), self.expression(node.test))

    def _Break(self, node: cst.Break) -> ir.Stmt:
        return ir.Jump(self.span(node), "break")

    def _Continue(self, node: cst.Continue) -> ir.Stmt:
        return ir.Jump(self.span(node), "continue")

    def _Del(self, node: cst.Del) -> ir.Stmt:
        target = node.target
        nodes = [element.value for element in target.elements] if isinstance(target, cst.Tuple) else [target]
        return ir.Delete(self.span(node), tuple(map(self.expression, nodes)))

    def _Global(self, node: cst.Global) -> ir.Stmt:
        return ir.Scope(self.span(node), "global", tuple(item.name.value for item in node.names))

    def _Nonlocal(self, node: cst.Nonlocal) -> ir.Stmt:
        return ir.Scope(self.span(node), "nonlocal", tuple(item.name.value for item in node.names))

    def _FunctionDef(self, node: cst.FunctionDef) -> ir.Stmt:
        body = self.block(node.body)
        function = ir.Function(
            self.span(node.name),
            node.name.value,
            self.parameters(node.params),
            lambda: body,
            tuple(self.expression(decorator.decorator) for decorator in node.decorators),
            self.expression(node.returns.annotation) if node.returns else None,
        )
        return ir.FunctionDef(self.span(node.name), function)

    def _ClassDef(self, node: cst.ClassDef) -> ir.Stmt:
        bases = tuple(self.argument(base) for base in (*node.bases, *node.keywords))
        decorators = tuple(self.expression(decorator.decorator) for decorator in node.decorators)
        return ir.ClassDef(self.span(node.name), node.name.value, bases, self.block(node.body), decorators)

    def _Import(self, node: cst.Import) -> list[ir.Stmt]:
        imports: list[ir.Stmt] = []
        for alias in node.names:
            module = dotted(alias.name)
            if alias.asname and isinstance(alias.asname.name, cst.Name):
                imports.append(ir.Import(self.span(node), module, alias.asname.name.value, True))
            else:
                imports.append(ir.Import(self.span(node), module, module.partition(".")[0], False))
        return imports

    def _ImportFrom(self, node: cst.ImportFrom) -> ir.Stmt:
        names: list[tuple[str, str]] = []
        if isinstance(node.names, cst.ImportStar):
            names.append(("*", "*"))
        else:
            for alias in node.names:
                name = dotted(alias.name)
                rebound = alias.asname.name if alias.asname else None
                names.append((name, rebound.value if isinstance(rebound, cst.Name) else name))
        module = dotted(node.module) if node.module else ""
        return ir.ImportFrom(self.span(node), module, len(node.relative), tuple(names))


_PATTERNS = (
    cst.MatchPattern,
    cst.MatchSequenceElement,
    cst.MatchKeywordElement,
    cst.MatchMappingElement,
    cst.MatchOrElement,
    cst.MatchStar,
)


def _captured(pattern: cst.CSTNode) -> list[tuple[cst.CSTNode, cst.Name]]:
    """The names that a `case` pattern binds, each with where it stands: the rest of a mapping goes by that."""
    found: list[tuple[cst.CSTNode, cst.Name]] = []
    if isinstance(pattern, cst.MatchMapping) and pattern.rest is not None:
        found.append((pattern, pattern.rest))
    if isinstance(pattern, (cst.MatchAs, cst.MatchStar)) and pattern.name is not None:
        found.append((pattern.name, pattern.name))
    for child in pattern.children:
        if isinstance(child, _PATTERNS):
            found.extend(_captured(child))
    return found
