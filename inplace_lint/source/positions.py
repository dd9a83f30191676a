"""The positions of the nodes of a syntax tree, in rows and columns of characters from 1."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from itertools import accumulate

from inplace_lint.source.columns import Columns
from inplace_lint.source.place import Span

_BLANK = re.compile(r"(?:\s|\\\n|#[^\n]*\n)*")
_COMMENT = re.compile(r"#[^\n]*")
_KEYWORDS = re.compile(r"(?:async(?:\s|\\\n)+)?(?:def|class)(?:\s|\\\n)+")
# Brackets, and what may hold some that do not count.
_BRACKET = re.compile(
    r'"""(?:\\.|[^\\])*?"""|' r"'''(?:\\.|[^\\])*?'''|" r'"(?:\\.|[^"\\\n])*"|' r"'(?:\\.|[^'\\\n])*'|#[^\n]*|[][(){}]",
    re.DOTALL,
)

Placed = ast.expr | ast.stmt | ast.arg | ast.alias | ast.keyword | ast.pattern


class Positions:
    """Spans as this tool counts them; `ast` counts bytes, and takes tuples with their parentheses."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._narrow = text.isascii()
        self._known_lines: list[str] | None = None
        self._columns: Columns | None = None
        self._starts: list[int] = []

    @property
    def _lines(self) -> list[str]:
        if self._known_lines is None:
            self._known_lines = self._text.split("\n")  # not `splitlines`: only a newline ends a row
        return self._known_lines

    def span(self, node: Placed) -> Span:
        """From the first character of a node to the one behind it, without parentheses around it."""
        row: int = node.lineno
        end_row: int = node.end_lineno or row
        if self._narrow:
            return Span(row, node.col_offset + 1, end_row, (node.end_col_offset or 0) + 1)
        return Span(row, self._column(row, node.col_offset), end_row, self._column(end_row, node.end_col_offset or 0))

    def word(self, node: Placed, length: int) -> Span:
        """The first `length` characters of a node."""
        column = self._column(node.lineno, node.col_offset)
        return Span(node.lineno, column, node.lineno, column + length)

    def name(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Span:
        """The name behind `def` or `class`."""
        start = self._offset(node.lineno, self._column(node.lineno, node.col_offset))
        match = _KEYWORDS.match(self._text, start)
        return self._between(match.end() if match else start, (match.end() if match else start) + len(node.name))

    def inside(self, node: ast.Tuple | ast.GeneratorExp, last: ast.expr | None) -> Span:
        """The span of what may have parentheses of its own, without them; `last` is the last part of it."""
        span = self.span(node)
        start, end = self._offset(span.row, span.column), self._offset(span.end_row, span.end_column)
        if not self._is_enclosed(start, end):
            return span
        blank = _BLANK.match(self._text, start + 1)
        begin = blank.end() if blank else start + 1
        if last is None:
            return self._between(start + 1, start + 1)
        tail = self.span(last)
        behind = self._offset(tail.end_row, tail.end_column)
        rest = _COMMENT.sub(lambda comment: " " * len(comment[0]), self._text[behind : end - 1])
        return self._between(begin, behind + len(rest.replace("\\\n", "  ").rstrip()))

    def _is_enclosed(self, start: int, end: int) -> bool:
        """Whether the first bracket is a parenthesis that closes at the end."""
        if self._text[start] != "(":
            return False
        depth = 0
        for found in _BRACKET.finditer(self._text, start, end):
            depth += (found[0] in "([{") - (found[0] in ")]}")
            if depth == 0:
                return found.end() == end
        return False

    def _column(self, row: int, offset: int) -> int:
        if self._narrow:
            return offset + 1
        if self._columns is None:
            self._columns = Columns(self._lines)
        return self._columns.at(row, offset)

    def _offset(self, row: int, column: int) -> int:
        if not self._starts:
            self._starts = [0, *accumulate(len(line) + 1 for line in self._lines)]
        return self._starts[row - 1] + column - 1

    def _between(self, start: int, end: int) -> Span:
        row, end_row = bisect_right(self._starts, start), bisect_right(self._starts, end)
        return Span(row, start - self._starts[row - 1] + 1, end_row, end - self._starts[end_row - 1] + 1)
