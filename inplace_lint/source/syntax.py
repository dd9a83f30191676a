"""Walks over Python's own syntax trees, several times as fast as `ast.walk`."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

_NO_CODE = frozenset(
    "ctx annotation returns id attr arg name names module level value_type kind type_comment type_params op ops "
    "simple conversion is_async lineno rest kwd_attrs".split()
)

# The fields of each kind of node that hold code which may run: no annotations, no names.
INNER: dict[type, tuple[str, ...]] = {
    kind: tuple(name for name in kind._fields if name not in _NO_CODE)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}
INNER[ast.Constant] = ()


def nodes_below(roots: Iterable[ast.AST]) -> list[ast.AST]:
    """The nodes and all that is inside of them, each before what is inside of it; no annotations."""
    found: list[Any] = [*roots]
    inner = INNER
    for node in found:  # grows
        for name in inner[node.__class__]:
            value = getattr(node, name)
            if value.__class__ is list:
                found += value if None not in value else [each for each in value if each is not None]
            elif value is not None:
                found.append(value)
    return found
