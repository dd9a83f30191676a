"""The functions around places in a text."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from inplace_lint.source.place import Span
from inplace_lint.source.syntax import Function


def enclosing_functions(text: str, places: Iterable[Span]) -> frozenset[tuple[str, str | None]] | None:
    """The functions of a file, and methods, each with its class, in whose bodies some places lie.

    Returns:
        their names; None if one lies elsewhere, or in a constructor, on which all methods depend, or if nobody knows,
            since the running Python cannot parse the text.
    """
    try:
        known = _functions(text)
    except SyntaxError:
        return None
    found: set[tuple[str, str | None]] = set()
    for place in places:
        around = (names for first, last, names in known if first <= place.row and place.end_row <= last)
        names = next(around, None)
        if names is None or names[0] == "__init__":
            return None
        found.add(names)
    return frozenset(found)


@lru_cache(maxsize=1)
def _functions(text: str) -> tuple[tuple[int, int, tuple[str, str | None]], ...]:
    return tuple(_bodies(ast.parse(text).body, None))


def _bodies(body: Sequence[ast.stmt], owner: str | None) -> Iterator[tuple[int, int, tuple[str, str | None]]]:
    """The first and last rows of functions, without their heads."""
    for node in body:
        if isinstance(node, Function):
            yield node.body[0].lineno, node.end_lineno or node.lineno, (node.name, owner)
        elif isinstance(node, ast.ClassDef) and owner is None:
            yield from _bodies(node.body, node.name)
        elif owner is None:
            for name in ("body", "orelse", "finalbody"):
                yield from _bodies(getattr(node, name, ()), None)
