"""Places in a source text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of source text. Rows and columns count from 1; the end column is exclusive."""

    row: int
    column: int
    end_row: int
    end_column: int


@dataclass(frozen=True, slots=True, order=True)
class Site:
    """A span in a file."""

    path: str
    span: Span

    def is_within(self, whole: Site) -> bool:
        """Whether an expression stands within another one, or is that."""
        mine, span = self.span, whole.span
        starts = (span.row, span.column) <= (mine.row, mine.column)
        ends = (mine.end_row, mine.end_column) <= (span.end_row, span.end_column)
        return self.path == whole.path and starts and ends
