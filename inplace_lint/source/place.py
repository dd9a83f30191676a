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
