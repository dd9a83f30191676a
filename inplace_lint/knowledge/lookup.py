"""What is known in a file, looked up for a place: without the analysis, which an editor has in another process."""

from __future__ import annotations

from itertools import chain

from inplace_lint.knowledge.facts import Hint, Knowledge, Known
from inplace_lint.source.place import Span


def known_at(knowledge: Knowledge, row: int, column: int) -> Known | None:
    """What is known of the innermost expression at a place of the text; None if that is no tensor.

    Args:
        knowledge: of the file.
        row: the row, from 1; of a notebook, in its program.
        column: the column, from 1.
    """
    around = [span for span in knowledge.rows.get(row, ()) if _has(span, row, column)]
    inner = max(around, key=lambda span: (span.row, span.column, -span.end_row, -span.end_column), default=None)
    return knowledge.known.get(inner) if inner is not None else None


def _has(span: Span, row: int, column: int) -> bool:
    return (span.row, span.column) <= (row, column) < (span.end_row, span.end_column)


def hints(knowledge: Knowledge, rows: range) -> tuple[Hint, ...]:
    """The hints in some rows of the text, in order."""
    return tuple(chain.from_iterable(knowledge.marks.get(row, ()) for row in rows))
