"""From bytes to characters: `ast` counts columns in bytes of UTF-8."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence


class Columns:
    """The columns of a text, from 1. However many are asked for, a row is looked through once.

    Args:
        lines: the rows of the text.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._ends: dict[int, tuple[list[int], list[int]]] = {}

    def at(self, row: int, offset: int) -> int:
        """The column of the character that begins so many bytes into a row."""
        line = self._lines[row - 1]
        if line.isascii():
            return offset + 1
        if row not in self._ends:
            self._ends[row] = _wide(line)
        ends, surplus = self._ends[row]
        return offset + 1 - surplus[bisect_right(ends, offset)]


def _wide(line: str) -> tuple[list[int], list[int]]:
    """Where the characters of several bytes end, in bytes, and how many bytes too many there are up to each."""
    ends: list[int] = []
    surplus = [0]
    for place, char in enumerate(line):
        if not char.isascii():
            more = len(char.encode()) - 1
            surplus.append(surplus[-1] + more)
            ends.append(place + 1 + surplus[-1])
    return ends, surplus
