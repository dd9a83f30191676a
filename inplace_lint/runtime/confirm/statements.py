"""The use of the result of a write, by its source line."""

from __future__ import annotations

import ast
import linecache
import sys
from functools import lru_cache

from inplace_lint.source.place import Site


@lru_cache(maxsize=4096)
def is_statement(site: Site) -> bool:
    """Whether a write stands for itself (`x.mul_(2)`, `x[0] = 1`), so that later readers want what it wrote."""
    statement = _statement_at(site)
    match statement:
        case ast.Expr(value=value):
            return any(_at(call, site) for call in _chain(value))
        case ast.AugAssign(target=target):
            return isinstance(target, ast.Subscript)
        case ast.Assign(targets=[ast.Subscript() as target]) | ast.AnnAssign(target=ast.Subscript() as target):
            return _at(target, site)
        case ast.Delete():
            return True
    return False


def _chain(node: ast.expr) -> list[ast.expr]:
    """`x.a_().b_()` is `x.a_()`, written further."""
    found = [node]
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.endswith("_"):
        node = node.func.value
        found.append(node)
    return found


def _at(node: ast.expr, site: Site) -> bool:
    end = len(linecache.getline(site.path, node.end_lineno or 0).encode()[: node.end_col_offset].decode()) + 1
    ends_there = (node.end_lineno, end) == (site.span.end_row, site.span.end_column)
    # Python 3.10 tells lines without columns.
    return node.lineno == site.span.row and (ends_there or sys.version_info < (3, 11))


def _statement_at(site: Site) -> ast.stmt | None:
    """The innermost statement that begins at or before the site and holds it."""
    found: ast.stmt | None = None
    for node in ast.walk(_tree(site.path)):
        if isinstance(node, ast.stmt) and node.lineno <= site.span.row <= (node.end_lineno or node.lineno):
            found = node
    return found


@lru_cache(maxsize=64)
def _tree(path: str) -> ast.AST:
    try:
        return ast.parse("".join(linecache.getlines(path)))
    except (SyntaxError, ValueError):
        return ast.Module([], [])
