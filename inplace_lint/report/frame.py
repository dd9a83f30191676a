"""A code frame: source lines with marks under them."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from inplace_lint.report.escaping import visible
from inplace_lint.report.folding import folded
from inplace_lint.source.place import Span

_TAB = "    "
_WIDEST = 120
_BEFORE_MARK = 40
_NARROWEST = 30
# A mark on more rows than this shows the first and the last only.
_MOST_ROWS = 4

Paint = Callable[[str, str], str]


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch to underline: with `^` and in the style given if it is the finding itself, else with `-`."""

    span: Span
    label: str = ""
    style: str | None = None


def frame(lines: Sequence[str], marks: Sequence[Mark], paint: Paint, width: int, terminal: int | None) -> list[str]:
    """The rows that the marks touch, in order, each with its underlines; gaps are shown as `...`.

    `width` is that of the row numbers, and `terminal` that of the terminal, if one shows them.
    """
    rows = sorted({row for mark in marks for row in rows_of(mark.span)})
    rows = [row for row in rows if row <= len(lines)]
    if not rows:
        return []
    bar = paint(f"{'':{width}} |", "blue")
    room = None if terminal is None else max(terminal - width - len(" | "), _NARROWEST)
    out = [bar]
    for row, following in pairwise([*rows, None]):
        assert row is not None
        out += _line(row, lines[row - 1], marks, width, bar, paint, room)
        if following is None or following == row + 1:
            continue
        if following == row + 2:
            out += _line(row + 1, lines[row], (), width, bar, paint, room)
        else:
            out.append(paint("...", "blue"))
    return [*out, bar]


def rows_of(span: Span) -> Sequence[int]:
    """The rows of a span that are shown: all, or the first and the last."""
    if span.end_row - span.row >= _MOST_ROWS:
        return (span.row, span.end_row)
    return range(span.row, max(span.row, span.end_row) + 1)


def _line(
    row: int, line: str, marks: Sequence[Mark], width: int, bar: str, paint: Paint, room: int | None
) -> list[str]:
    here = [(mark, *stretch(mark.span, row, line)) for mark in marks if row in rows_of(mark.span)]
    # The finding itself comes first, then what belongs to it, from left to right.
    here.sort(key=lambda each: (each[0].style is None, each[1]))
    first, last = window(line, here[0][1] if here else 0, room)
    shown = "..." * (first > 0) + piece(line[first:last]) + "..." * (last < len(line))
    out = [f"{paint(f'{row:{width}} |', 'blue')} {shown}".rstrip()]
    for mark, start, end in here:
        start, end = min(max(start, first), last), min(max(end, first), last)
        indent = " " * (3 * (first > 0) + columns(piece(line[first:start])))
        under = ("^" if mark.style else "-") * max(1, columns(piece(line[start:end])))
        label = mark.label if row == max(mark.span.row, mark.span.end_row) else ""
        for before, text in _labelled(len(indent), under, label, room):
            out.append(f"{bar} {' ' * before}{paint(text, mark.style or 'blue')}")
    return out


def _labelled(before: int, under: str, label: str, room: int | None) -> Iterator[tuple[int, str]]:
    """An underline and its label, as lines and what is before each: beside each other, if there is room for that."""
    if room is None or not label or before + len(under) + 1 + columns(label) <= room:
        yield before, f"{under} {label}".rstrip()
        return
    yield before, under
    before = max(0, min(before, room - columns(label), room - _NARROWEST))
    for line in folded(label, room - before, hanging=0).split("\n"):
        yield before, line


def stretch(span: Span, row: int, line: str) -> tuple[int, int]:
    """First and last offset of a span in one of its rows."""
    start = span.column - 1 if row == span.row else len(line) - len(line.lstrip())
    end = span.end_column - 1 if row == span.end_row else len(line)
    return start, max(start, end)


def window(line: str, focus: int, room: int | None = None) -> tuple[int, int]:
    """The first and last offset of what is shown of a line: the focus is in it."""
    if len(line) <= (_WIDEST if room is None else min(_WIDEST, room)):
        return 0, len(line)
    widest = _WIDEST if room is None else min(_WIDEST, room - 2 * len("..."))
    first = max(0, min(focus - min(_BEFORE_MARK, widest // 3), len(line) - widest))
    return first, min(len(line), first + widest)


def piece(text: str) -> str:
    """A piece of a line as it is shown: with tabs as spaces, and what a terminal would obey spelled out."""
    return visible(text.replace("\t", _TAB))


def columns(text: str) -> int:
    """How many columns of a terminal the text takes."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )
