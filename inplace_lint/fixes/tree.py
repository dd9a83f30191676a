"""A source text with its syntax tree: nodes by place, places of nodes."""

from __future__ import annotations

import ast
import re
import symtable
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from typing import TypeVar

from inplace_lint.columns import Columns
from inplace_lint.diagnostic import Edit, Span

_Node = TypeVar("_Node", bound=ast.AST)
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_OPENS = re.compile(r":[ \t]*(?:#|$)")


class Tree:
    """A source text, read once.

    Args:
        text: the source, with `\\n` for newlines.

    Raises:
        SyntaxError: the running Python cannot parse it.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        self._columns = Columns(self.lines)
        self.module = ast.parse(text)
        self._parents = {child: node for node in ast.walk(self.module) for child in ast.iter_child_nodes(node)}

    @cached_property
    def _by_span(self) -> dict[Span, list[ast.expr | ast.stmt]]:
        found: dict[Span, list[ast.expr | ast.stmt]] = {}
        for node in ast.walk(self.module):
            if isinstance(node, (ast.expr, ast.stmt)):
                found.setdefault(self.span(node), []).append(node)
        return found

    def at(self, span: Span, kind: type[_Node]) -> _Node | None:
        """The node of a kind that stands exactly there."""
        return next((node for node in self._by_span.get(span, ()) if isinstance(node, kind)), None)

    def span(self, node: ast.expr | ast.stmt | ast.keyword) -> Span:
        """Where a node stands."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return Span(
            node.lineno,
            self._columns.at(node.lineno, node.col_offset),
            node.end_lineno,
            self._columns.at(node.end_lineno, node.end_col_offset),
        )

    def _column(self, row: int, offset: int) -> int:
        """`ast` counts bytes of UTF-8."""
        line = self.lines[row - 1]
        return 1 + (offset if line.isascii() else len(line.encode()[:offset].decode()))

    def source(self, node: ast.expr | ast.stmt) -> str:
        """The text of a node."""
        return self.between(self.span(node))

    def between(self, span: Span) -> str:
        """The text under a span."""
        return self.text[self.offset(span.row, span.column) : self.offset(span.end_row, span.end_column)]

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        for line in self.lines:
            starts.append(starts[-1] + len(line) + 1)
        return starts

    def offset(self, row: int, column: int) -> int:
        """How many characters come before a place."""
        return self._starts[row - 1] + column - 1

    def parent(self, node: ast.AST) -> ast.AST | None:
        """The node around a node."""
        return self._parents.get(node)

    def statement(self, node: ast.AST) -> ast.stmt | None:
        """The innermost statement around a node, or itself."""
        return next((each for each in self._around(node) if isinstance(each, ast.stmt)), None)

    def function(self, node: ast.AST) -> Function | None:
        """The innermost function around a node."""
        return next((each for each in self._around(self.parent(node)) if isinstance(each, Function)), None)

    def _around(self, node: ast.AST | None) -> Iterator[ast.AST]:
        """A node, and the nodes around it, from the inside out."""
        while node is not None:
            yield node
            node = self.parent(node)

    def statement_at(self, span: Span) -> ast.stmt | None:
        """The innermost simple statement that covers a place."""
        for node in self._simple.get(span.row, ()):
            around = self.span(node)
            if (around.row, around.column) <= (span.row, span.column) and (span.end_row, span.end_column) <= (
                around.end_row,
                around.end_column,
            ):
                return node
        return None

    @cached_property
    def _simple(self) -> dict[int, list[ast.stmt]]:
        """The statements without a body, by each row that they stand on."""
        found: dict[int, list[ast.stmt]] = {}
        for node in ast.walk(self.module):
            if isinstance(node, ast.stmt) and not hasattr(node, "body"):
                for row in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                    found.setdefault(row, []).append(node)
        return found

    @cached_property
    def _scopes(self) -> dict[tuple[str, int], symtable.SymbolTable]:
        """The symbol tables of functions, by name and first line."""
        found: dict[tuple[str, int], symtable.SymbolTable] = {}
        try:
            todo = [symtable.symtable(self.text, "<fix>", "exec")]
        except SyntaxError:  # Python parses `def f(a, a)`, but does not compile it
            return found
        for table in todo:  # grows
            for child in table.get_children():
                found.setdefault((child.get_name(), child.get_lineno()), child)
                todo.append(child)
        return found

    def may_bind(self, name: str, node: ast.AST) -> bool:
        """Whether an assignment to `name` at a node would change the variable that is read there now."""
        function = self.function(node)
        if function is None:
            return not any(isinstance(each, ast.ClassDef) for each in self._around(node))
        if isinstance(function, ast.Lambda):
            return False
        places = ((function.name, line) for line in _first_lines(function))
        scope = next((self._scopes[place] for place in places if place in self._scopes), None)
        variable = name.partition(".")[0]
        if scope is None or variable not in scope.get_identifiers():
            return False
        symbol = scope.lookup(variable)
        return "." in name or symbol.is_local() or symbol.is_declared_global() or symbol.is_nonlocal()

    def before(self, statement: ast.stmt, line: str) -> Edit:
        """An edit that puts a statement before another."""
        span = self.span(statement)
        indent = self.indent(statement)
        separator = "; " if indent is None else f"\n{indent}"
        return insertion(span.row, span.column, f"{line}{separator}")

    def indent(self, statement: ast.stmt) -> str | None:
        """The white space before a statement; None if something else stands before it on its line."""
        span = self.span(statement)
        ahead = self.lines[span.row - 1][: span.column - 1]
        follows = span.row > 1 and self.lines[span.row - 2].endswith("\\")
        return ahead if not ahead.strip() and not follows else None

    @cached_property
    def indent_unit(self) -> str:
        """What the file indents by."""
        blocks = (
            below
            for above, below in pairwise(self.lines)
            if below.startswith((" ", "\t")) and below.strip() and _OPENS.search(above)
        )
        return "\t" if next(blocks, "").startswith("\t") else "    "


def _first_lines(function: Function) -> set[int]:
    """Versions of Python differ in whether decorators belong to a function."""
    return {function.lineno, *(decorator.lineno for decorator in getattr(function, "decorator_list", ()))}


def insertion(row: int, column: int, content: str) -> Edit:
    """An edit that only adds."""
    return Edit(Span(row, column, row, column), content)


def after(span: Span, content: str) -> Edit:
    """An edit that adds behind a span."""
    return insertion(span.end_row, span.end_column, content)


def dotted(node: ast.AST) -> str:
    """`a.b.c` of a chain of attributes; empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted(node.value)
        return f"{base}.{node.attr}" if base else ""
    return ""


def without_keyword(tree: Tree, call: ast.Call, keyword: ast.keyword) -> tuple[Edit, ...] | None:
    """Take an argument out of a call; None if more than a comma would go with it."""
    span, place = tree.span(keyword), call.keywords.index(keyword)
    ahead = [*map(tree.span, call.args), *map(tree.span, call.keywords[:place])]
    behind = [tree.span(other) for other in call.keywords[place + 1 :]]
    if ahead:
        last = max(ahead, key=lambda each: (each.end_row, each.end_column))
        gone = Span(last.end_row, last.end_column, span.end_row, span.end_column)
    elif behind:
        gone = Span(span.row, span.column, behind[0].row, behind[0].column)
    else:
        comma = tree.text.startswith(",", tree.offset(span.end_row, span.end_column))
        gone = Span(span.row, span.column, span.end_row, span.end_column + comma)
    between = tree.between(gone).replace(tree.between(span), "")
    return (Edit(gone, ""),) if not between.strip(", \t\n\\") else None
