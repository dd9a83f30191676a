"""Editing a text: what a set of edits makes of it, and which of them go together."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from inplace_lint.diagnostic import Edit, Span


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
    for line in (*reversed(rows[: row - 1]), *rows[row - 1 :]):
        for ending in ("\r\n", "\n", "\r"):
            if line.endswith(ending):
                return ending
    return "\n"


def compatible(edits: Collection[Edit], others: Iterable[Edit]) -> bool:
    """Whether no edit overlaps one of the others, or adds at the same place."""
    return not any(_clash(edit.span, other.span) for edit in edits for other in others)


def _clash(a: Span, b: Span) -> bool:
    a_start, a_end, b_start, b_end = _start(a), _end(a), _start(b), _end(b)
    return (a_start < b_end and b_start < a_end) or a_start == b_start


def _start(span: Span) -> tuple[int, int]:
    return (span.row, span.column)


def _end(span: Span) -> tuple[int, int]:
    return (span.end_row, span.end_column)
