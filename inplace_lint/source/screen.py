"""What can be said of a text cheaply, before libcst reads it."""

from __future__ import annotations

import ast

from inplace_lint.diagnostic import Site, Span
from inplace_lint.source.errors import SourceError

# The time that libcst takes grows with the square of the depth; people stay below a hundred.
DEEPEST = 1500


def refusal(text: str, path: str) -> SourceError | None:
    """Why the running Python refuses a text; None if it does not.

    The text may still be right for another version of Python.

    Raises:
        SourceError: it is nested so deeply that reading on would take minutes.
    """
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        site = _site(path, error.lineno or 1, error.offset or 1)
        if error.msg == "too many nested parentheses":
            raise SourceError(f"is nested too deeply: {error.msg}", site) from error
        return SourceError(f"syntax error: {error.msg}", site)
    except (RecursionError, MemoryError) as error:
        raise SourceError("is nested too deeply", _site(path, 1, 1)) from error
    _require_shallow(tree, path)
    return None


def _require_shallow(tree: ast.Module, path: str) -> None:
    level: list[ast.AST] = [tree]
    for _ in range(DEEPEST):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return
    row = next((node.lineno for node in level if isinstance(node, (ast.expr, ast.stmt))), 1)
    raise SourceError(f"is nested too deeply: more than {DEEPEST} levels", _site(path, row, 1))


def _site(path: str, row: int, column: int) -> Site:
    column = max(column, 1)
    return Site(path, Span(max(row, 1), column, max(row, 1), column + 1))
