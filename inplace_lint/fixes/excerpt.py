"""The part of a text to parse for changing a few rows, since libcst takes many times as long as `ast`."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence

from inplace_lint.source.parsing import holds_more_than

# libcst takes 1.3 kB and 0.1 ms for each token, and a time that grows with the square of the depth.
_MOST_TOKENS, _DEEPEST = 200_000, 500


def excerpt(text: str, rows: Collection[int]) -> str:
    """A text with a string, as many rows long, in place of each function, class or method that holds none of some rows.

    Empty rows would do, but libcst visits each as three nodes.

    Raises:
        ValueError: what is left is too long, or nested too deeply, to be read in little time.
    """
    try:
        body = ast.parse(text).body
    except SyntaxError:  # written for another version of Python
        body = []
    lines = text.split("\n")
    for first, last in _elsewhere(body, rows):
        lines[first - 1 : last] = _string(lines[first - 1], last - first + 1)
    left = "\n".join(lines)
    if holds_more_than(_MOST_TOKENS, left) or (body and _is_deep(left)):
        raise ValueError
    return left


def _string(line: str, rows: int) -> list[str]:
    """The rows of an empty string where a line begins."""
    indent = line[: len(line) - len(line.lstrip())]
    return [f"{indent}'''", *[""] * (rows - 2), "'''"] if rows > 1 else [f"{indent}''"]


def _elsewhere(body: Sequence[ast.stmt], rows: Collection[int]) -> Iterator[tuple[int, int]]:
    """The first and last rows of what holds none of the rows."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            last = node.end_lineno or node.lineno
            if not any(first <= row <= last for row in rows):
                yield first, last
            elif isinstance(node, ast.ClassDef):
                yield from _elsewhere(node.body, rows)


def _is_deep(text: str) -> bool:
    level: list[ast.AST] = [ast.parse(text)]
    for _ in range(_DEEPEST):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return bool(level)
