"""Grad mode: `with torch.no_grad():` around a statement, or in place of `inference_mode`."""

from __future__ import annotations

import ast
from collections.abc import Collection
from dataclasses import replace

from inplace_lint.cure import Cure
from inplace_lint.diagnostic import Edit, Span
from inplace_lint.fixes.tree import Tree, dotted, insertion


def under_no_grad(tree: Tree, cure: Cure) -> tuple[Edit, ...] | None:
    """Put statements that follow one another under `torch.no_grad()`."""
    statements = [tree.statement_at(site.span) for site in cure.sites]
    no_grad = _spelled(tree)
    lines = [each for each in statements if each is not None and _has_line(tree, each)]
    if no_grad is None or len(lines) < len(statements):
        return None
    indent, spans = tree.indent(lines[0]), [tree.span(each) for each in lines]
    head = insertion(spans[0].row, spans[0].column, f"with {no_grad}():\n{indent}{tree.indent_unit}")
    return (head, *(insertion(span.row, span.column, tree.indent_unit) for span in spans[1:]))


def together(tree: Tree, cure: Cure, others: Collection[Cure]) -> Cure:
    """The cure for a statement and for its neighbours that need it, too."""
    known = {tree.statement_at(site.span): site for other in others for site in other.sites}
    statement = tree.statement_at(cure.sites[0].span)
    block = _block(tree, statement) if statement is not None else None
    if block is None or statement is None:
        return cure
    first = last = block.index(statement)
    while first > 0 and block[first - 1] in known and _on_one_page(tree, block[first - 1], block[first]):
        first -= 1
    while last + 1 < len(block) and block[last + 1] in known and _on_one_page(tree, block[last], block[last + 1]):
        last += 1
    sites = tuple(known[each] for each in block[first : last + 1])
    return replace(cure, sites=sites, safe=all(other.safe for other in others if set(other.sites) & set(sites)))


def _on_one_page(tree: Tree, statement: ast.stmt, following: ast.stmt) -> bool:
    """Whether no form feed parts them; one stands between the cells of a notebook."""
    above, below = tree.span(statement), tree.span(following)
    return "\f" not in tree.between(Span(above.end_row, above.end_column, below.row, below.column))


def _block(tree: Tree, statement: ast.stmt) -> list[ast.stmt] | None:
    parent = tree.parent(statement)
    blocks = [getattr(parent, name, None) for name in ("body", "orelse", "finalbody")]
    return next((block for block in blocks if isinstance(block, list) and statement in block), None)


def not_inference(tree: Tree, cure: Cure) -> tuple[Edit, ...] | None:
    """`inference_mode` to `no_grad`, in the `with` or decorator around the place."""
    inside = tree.statement_at(cure.sites[0].span)
    current: ast.AST | None = inside
    while current is not None:
        for mode in _modes(current):
            func = mode.func if isinstance(mode, ast.Call) else mode
            if dotted(func).rpartition(".")[2] == "inference_mode" and not (
                isinstance(mode, ast.Call) and (mode.args or mode.keywords)
            ):
                return _replaced(tree, func)
        current = tree.parent(current)
    return None


def _modes(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.With):
        return [item.context_expr for item in node.items]
    return list(node.decorator_list) if isinstance(node, ast.FunctionDef) else []


def _replaced(tree: Tree, func: ast.expr) -> tuple[Edit, ...] | None:
    if not isinstance(func, ast.Attribute):
        return None
    end = tree.span(func)
    start = end.end_column - len("inference_mode")
    return (Edit(Span(end.end_row, start, end.end_row, end.end_column), "no_grad"),)


def _spelled(tree: Tree) -> str | None:
    """How the file can call `torch.no_grad`; None if it does not import it."""
    for node in tree.module.body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name == "torch" or (alias.name.startswith("torch.") and alias.asname is None):
                    return f"{alias.asname or 'torch'}.no_grad"
        elif isinstance(node, ast.ImportFrom) and node.module == "torch":
            for alias in node.names:
                if alias.name == "no_grad":
                    return alias.asname or "no_grad"
    return None


def _has_line(tree: Tree, statement: ast.stmt) -> bool:
    """Whether nothing but white space stands before a statement on its line, and a comment behind it."""
    span = tree.span(statement)
    rest = tree.lines[span.end_row - 1][span.end_column - 1 :].strip()
    return tree.indent(statement) is not None and (not rest or rest.startswith("#"))
