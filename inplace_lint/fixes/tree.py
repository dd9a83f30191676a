"""A source text with its libcst tree: nodes by place, places of nodes, and what is around them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TypeVar

import libcst as cst
from libcst.metadata import (
    CodeRange,
    ExpressionContext,
    ExpressionContextProvider,
    FunctionScope,
    GlobalScope,
    ImportAssignment,
    MetadataWrapper,
    ParentNodeProvider,
    PositionProvider,
    Scope,
    ScopeProvider,
)

from inplace_lint.fixes.offsets import Offsets
from inplace_lint.source.place import Span

_Node = TypeVar("_Node", bound=cst.CSTNode)


class Tree:
    """A source text, read once; what libcst knows of it is found out when first asked for.

    Args:
        text: the source, with `\\n` for newlines.
        read: what of it is read (`excerpt`).

    Raises:
        libcst.ParserSyntaxError: no version of Python understands it.
    """

    def __init__(self, text: str, read: str) -> None:
        self.text = text
        self._wrapper = MetadataWrapper(cst.parse_module(read), unsafe_skip_copy=True)
        self.module = self._wrapper.module

    @cached_property
    def positions(self) -> Mapping[cst.CSTNode, CodeRange]:
        """Where each node stands."""
        return self._wrapper.resolve(PositionProvider)

    @cached_property
    def offsets(self) -> Offsets:
        """The text, and where each node stands in it."""
        return Offsets(self.text, self.positions)

    @cached_property
    def _parents(self) -> Mapping[cst.CSTNode, cst.CSTNode]:
        return self._wrapper.resolve(ParentNodeProvider)

    @cached_property
    def _scopes(self) -> Mapping[cst.CSTNode, Scope | None]:
        return self._wrapper.resolve(ScopeProvider)

    @cached_property
    def _contexts(self) -> Mapping[cst.CSTNode, ExpressionContext | None]:
        return self._wrapper.resolve(ExpressionContextProvider)

    @cached_property
    def _by_span(self) -> dict[Span, list[cst.CSTNode]]:
        found: dict[Span, list[cst.CSTNode]] = {}
        for node in self.positions:
            if isinstance(node, (cst.BaseExpression, cst.BaseSmallStatement)):
                found.setdefault(self.span(node), []).append(node)
        return found

    def at(self, span: Span, kind: type[_Node]) -> _Node | None:
        """The node of a kind that stands exactly there."""
        return next((node for node in self._by_span.get(span, ()) if isinstance(node, kind)), None)

    def expression_at(self, span: Span) -> cst.BaseExpression | None:
        """The expression that stands exactly there."""
        return next((node for node in self._by_span.get(span, ()) if isinstance(node, cst.BaseExpression)), None)

    def span(self, node: cst.CSTNode) -> Span:
        """Where a node stands, without parentheses around it."""
        place = self.positions[node]
        return Span(place.start.line, place.start.column + 1, place.end.line, place.end.column + 1)

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The node around a node."""
        return self._parents.get(node)

    def around(self, node: cst.CSTNode | None) -> Iterator[cst.CSTNode]:
        """A node, and the nodes around it, from the inside out."""
        while node is not None:
            yield node
            node = self.parent(node)

    def function(self, node: cst.CSTNode) -> cst.FunctionDef | None:
        """The innermost function around a statement."""
        return next((each for each in self.around(self.parent(node)) if isinstance(each, cst.FunctionDef)), None)

    def statement_at(self, span: Span) -> cst.BaseSmallStatement | None:
        """The statement without a body that covers a place."""
        for node in self._statements.get(span.row, ()):
            around = self.span(node)
            if (around.row, around.column) <= (span.row, span.column) and (span.end_row, span.end_column) <= (
                around.end_row,
                around.end_column,
            ):
                return node
        return None

    @cached_property
    def _statements(self) -> dict[int, list[cst.BaseSmallStatement]]:
        """The statements without a body, by each row that they stand on."""
        found: dict[int, list[cst.BaseSmallStatement]] = {}
        for node, place in self.positions.items():
            if isinstance(node, cst.BaseSmallStatement):
                for row in range(place.start.line, place.end.line + 1):
                    found.setdefault(row, []).append(node)
        return found

    def is_target(self, node: cst.CSTNode) -> bool:
        """Whether a node is what an assignment, a loop or the like binds."""
        return self._contexts.get(node) is ExpressionContext.STORE

    def may_bind(self, name: str, statement: cst.BaseSmallStatement) -> bool:
        """Whether an assignment to `name` beside a statement would change the variable that is read there now."""
        scope, variable = self._scopes.get(statement), name.partition(".")[0]
        if isinstance(scope, GlobalScope) or (isinstance(scope, FunctionScope) and variable != name):
            return True
        if not isinstance(scope, FunctionScope):
            return False
        function = self.function(statement)
        declared = (each for each in below(function) if _declares(each, variable)) if function is not None else ()
        return any(each.scope is scope for each in scope[variable]) or any(
            self._scopes.get(each) is scope for each in declared
        )

    def spelling(self, module: str, name: str, statement: cst.BaseSmallStatement) -> str | None:
        """How a statement can spell a name of a module; None if the file does not import it."""
        scope, file = self._scopes.get(statement), self._scopes.get(self.module)
        for found in file.assignments if file is not None else ():
            if isinstance(found, ImportAssignment) and self._is_certain(found) and scope is not None:
                meant = {each.name for each in found.get_qualified_names_for(found.name)}
                seen = all(isinstance(each, ImportAssignment) for each in scope[found.name])
                if seen and f"{module}.{name}" in meant:
                    return found.name
                if seen and module in meant:
                    return f"{found.name}.{name}"
        return None

    def _is_certain(self, found: ImportAssignment) -> bool:
        """Whether an import stands in no block, but in the file itself."""
        line = self.parent(found.node)
        return line is not None and self.parent(line) is self.module


def _declares(node: cst.CSTNode, variable: str) -> bool:
    return isinstance(node, (cst.Global, cst.Nonlocal)) and any(item.name.value == variable for item in node.names)


def below(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """A node and all that it holds. Plain Python: `libcst.matchers` takes longer to import than a file to check."""
    todo = [node]
    while todo:
        node = todo.pop()
        yield node
        todo += reversed(node.children)


def keyword(argument: cst.Arg) -> str:
    """The keyword of an argument; empty if it has none."""
    return argument.keyword.value if argument.keyword is not None else ""


def dotted(node: cst.CSTNode) -> str:
    """`a.b.c` of a chain of attributes; empty for anything else."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute):
        base = dotted(node.value)
        return f"{base}.{node.attr.value}" if base else ""
    return ""


def has_comment(parts: Iterable[cst.CSTNode | cst.MaybeSentinel]) -> bool:
    """Whether a comment stands in one of several parts."""
    return any(isinstance(node, cst.Comment) for part in parts if isinstance(part, cst.CSTNode) for node in below(part))
