"""The offsets of nodes in a text, in characters from its start."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from itertools import accumulate

import libcst as cst
from libcst.metadata import CodePosition, CodeRange

from inplace_lint.source.place import Span


class Offsets:
    """A text, with `\\n` for newlines, and the rows and columns of its nodes."""

    def __init__(self, text: str, positions: Mapping[cst.CSTNode, CodeRange]) -> None:
        self.text = text
        self._positions = positions
        self._rows = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]

    def start(self, node: cst.CSTNode) -> int:
        """Where a node begins, with its parentheses."""
        first = node.lpar[0] if isinstance(node, cst.BaseExpression) and node.lpar else node
        return self._offset(self._positions[first].start)

    def end(self, node: cst.CSTNode) -> int:
        """Where it ends."""
        last = node.rpar[-1] if isinstance(node, cst.BaseExpression) and node.rpar else node
        return self._offset(self._positions[last].end)

    def ahead(self, node: cst.CSTNode) -> str:
        """What stands before a node on its row."""
        start = self.start(node)
        return self.text[self._rows[bisect_right(self._rows, start) - 1] : start]

    def span(self, start: int, end: int) -> Span:
        """A stretch, in rows and columns from 1."""
        return Span(*self._place(start), *self._place(end))

    def _offset(self, place: CodePosition) -> int:
        return self._rows[place.line - 1] + place.column

    def _place(self, offset: int) -> tuple[int, int]:
        row = bisect_right(self._rows, offset)
        return row, offset - self._rows[row - 1] + 1
