"""Applying a set of edits to a text, and choosing edits that do not overlap."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import chain

from inplace_lint.findings.diagnostic import Edit
from inplace_lint.source.place import Span


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with edits applied that do not overlap; everything else stays as it is.

    Args:
        text: the text; rows end with `\\n`, `\\r` or both, and count as in the spans of the edits.
        edits: in any order. A newline in their content becomes the line ending of the row before.
    """
    rows = lines_of(text)
    parts: list[str] = []
    row, column = 1, 1
    for edit in sorted(edits, key=lambda each: each.span):
        span = edit.span
        parts += _stretch(rows, Span(row, column, span.row, span.column))
        ending = _ending(rows, span.row)
        parts.append(edit.content.replace("\n", ending) if ending != "\n" else edit.content)
        row, column = span.end_row, span.end_column
    parts += _stretch(rows, Span(row, column, len(rows), len(rows[-1]) + 1))
    return "".join(parts)


def lines_of(text: str) -> list[str]:
    """The rows with their line endings, as Python counts them: form feeds and their like end no row."""
    return re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)


def _stretch(rows: Sequence[str], span: Span) -> list[str]:
    if span.row == span.end_row:
        return [rows[span.row - 1][span.column - 1 : span.end_column - 1]]
    middle = rows[span.row : span.end_row - 1]
    return [rows[span.row - 1][span.column - 1 :], *middle, rows[span.end_row - 1][: span.end_column - 1]]


def _ending(rows: Sequence[str], row: int) -> str:
    """How the nearest row from here upwards ends; of a single row, how Python would."""
    for index in chain(range(row - 2, -1, -1), range(row - 1, len(rows))):
        for ending in ("\r\n", "\n", "\r"):
            if rows[index].endswith(ending):
                return ending
    return "\n"


def compatible(edits: Collection[Edit], others: Iterable[Edit]) -> bool:
    """Whether no edit overlaps one of the others, or adds at the same place."""
    return not any(_clash(edit.span, other.span) for edit in edits for other in others)


def together(groups: Iterable[Sequence[Edit]]) -> tuple[Edit, ...]:
    """The edits of all groups that do not overlap those of an earlier one; what groups share counts once."""
    edits: list[Edit] = []
    for group in groups:
        new = [edit for edit in group if edit not in edits]
        if compatible(new, edits):
            edits += new
    return tuple(edits)


def _clash(a: Span, b: Span) -> bool:
    a_start, a_end, b_start, b_end = _start(a), _end(a), _start(b), _end(b)
    return (a_start < b_end and b_start < a_end) or a_start == b_start


def _start(span: Span) -> tuple[int, int]:
    return (span.row, span.column)


def _end(span: Span) -> tuple[int, int]:
    return (span.end_row, span.end_column)


_Point = tuple[int, int]


class Moved:
    """How places move with edits that do not overlap. What an edit touches lies where the edit begins."""

    def __init__(self, edits: Iterable[Edit]) -> None:
        self._stretches: list[tuple[_Point, _Point, _Point, _Point]] = []
        old_end = new_end = (1, 1)
        for edit in sorted(edits, key=lambda each: each.span):
            old_start = _start(edit.span)
            new_start = _shifted(old_start, old_end, new_end)
            old_end, new_end = _end(edit.span), _advanced(new_start, edit.content)
            self._stretches.append((old_start, old_end, new_start, new_end))

    def back(self, span: Span) -> Span:
        """Where a stretch of the edited text was before."""
        return Span(*self._back(_start(span)), *self._back(_end(span)))

    def settled(self, span: Span) -> Span:
        """The same of a stretch of the text before the edits, to compare."""
        return Span(*self._settled(_start(span)), *self._settled(_end(span)))

    def _back(self, point: _Point) -> _Point:
        old, new = (1, 1), (1, 1)
        for old_start, old_end, new_start, new_end in self._stretches:
            if point < new_start:
                break
            if point <= new_end:
                return old_start
            old, new = old_end, new_end
        return _shifted(point, new, old)

    def _settled(self, point: _Point) -> _Point:
        return next((start for start, end, _, _ in self._stretches if start <= point <= end), point)


def _shifted(point: _Point, known: _Point, moved: _Point) -> _Point:
    """A point behind one that has moved."""
    rows = point[0] - known[0]
    return (moved[0] + rows, point[1] if rows else moved[1] + point[1] - known[1])


def _advanced(point: _Point, content: str) -> _Point:
    """The end of a text that begins at a point."""
    rows, last = content.count("\n"), content.rpartition("\n")[2]
    return (point[0] + rows, len(last) + (1 if rows else point[1]))
