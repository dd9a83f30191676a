"""Reads the digests of the parts of a file, which `screen/parts.py` makes: names of parts, and what has moved."""

from __future__ import annotations

from collections.abc import Mapping

# Everything but the bodies of functions. Whoever looks into a file at all depends on it.
SKELETON = ""
# Begins a question about a file; it is a part whose digest is the answer.
QUESTION = "?"
# Its comments and its rows: for a finding that names a place in it.
PLACES = "<places>"
# All of it.
EVERYTHING = "<whole>"


def moves(before: Mapping[str, str], now: Mapping[str, str]) -> list[tuple[int, int, int]]:
    """The functions of a file that stand elsewhere now, or where they stood, with the same text.

    Returns:
        the first and last row of each before, and by how many rows it has moved.
    """
    found = []
    for name, place in before.items():
        text, *rows = place.split(" ")
        there, *others = now.get(name, "").split(" ")
        if len(rows) == 2 and len(others) == 2 and text == there and all(map(_is_row, (*rows, *others))):
            found.append((int(rows[0]), int(rows[1]), int(others[0]) - int(rows[0])))
    return found


def _is_row(text: str) -> bool:
    return text.isdecimal() and len(text) < 10
