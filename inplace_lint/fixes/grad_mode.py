"""Grad mode: `with torch.no_grad():` around a statement, or in place of `inference_mode`."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection

import libcst as cst

from inplace_lint.findings.cure import Cure
from inplace_lint.fixes.rewrite import Rewrite, replace
from inplace_lint.fixes.tree import Tree
from inplace_lint.source.place import Site, Span


def under_no_grad(tree: Tree, cure: Cure) -> list[Rewrite] | None:
    """Put statements that follow one another under `torch.no_grad()`."""
    lines = [line for site in cure.sites if (line := _line(tree, site.span)) is not None]
    if len(lines) < len(cure.sites):
        return None
    no_grad = tree.spelling("torch", "no_grad", lines[0].body[0])
    if no_grad is None:
        return None
    first, *others = lines
    block = cst.IndentedBlock([first.with_changes(leading_lines=()), *map(_indented, others)])
    with_no_grad = cst.With([cst.WithItem(cst.Call(cst.parse_expression(no_grad)))], block)
    return [Rewrite(tuple(lines), (with_no_grad,))]


def _indented(line: cst.SimpleStatementLine) -> cst.SimpleStatementLine:
    """A line whose comments are indented with it, but no empty lines."""
    ahead = [each if each.comment else each.with_changes(indent=False) for each in line.leading_lines]
    return line.with_changes(leading_lines=ahead)


def together(tree: Tree, cure: Cure, others: Collection[Cure]) -> Cure:
    """The cure for a statement and for its neighbours that need it, too."""
    known: dict[cst.CSTNode | None, Site] = {_line(tree, site.span): site for other in others for site in other.sites}
    line = _line(tree, cure.sites[0].span)
    block = tree.parent(line) if line is not None else None
    if not isinstance(block, (cst.Module, cst.IndentedBlock)) or line is None:
        return cure
    lines = list(block.body)
    first = last = lines.index(line)
    while first > 0 and lines[first - 1] in known and _on_one_page(lines[first]):
        first -= 1
    while last + 1 < len(lines) and lines[last + 1] in known and _on_one_page(lines[last + 1]):
        last += 1
    sites = tuple(known[each] for each in lines[first : last + 1])
    safe = all(other.safe for other in others if set(other.sites) & set(sites))
    return dataclasses.replace(cure, sites=sites, safe=safe)


def _line(tree: Tree, span: Span) -> cst.SimpleStatementLine | None:
    """The line of the statement at a place, if it has one for itself."""
    statement = tree.statement_at(span)
    line = tree.parent(statement) if statement is not None else None
    return line if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else None


def _on_one_page(line: cst.CSTNode) -> bool:
    """Whether no form feed stands before a line; one stands between the cells of a notebook."""
    return isinstance(line, cst.SimpleStatementLine) and "\f" not in cst.Module([], header=line.leading_lines).code


def not_inference(tree: Tree, cure: Cure) -> list[Rewrite] | None:
    """`inference_mode` to `no_grad`, in the `with` or decorator around the place."""
    for node in tree.around(tree.statement_at(cure.sites[0].span)):
        for mode in _modes(node):
            func = mode.func if isinstance(mode, cst.Call) and not mode.args else mode
            if isinstance(func, cst.Attribute) and func.attr.value == "inference_mode":
                return [replace(func.attr, cst.Name("no_grad"))]
    return None


def _modes(node: cst.CSTNode) -> list[cst.BaseExpression]:
    if isinstance(node, cst.With):
        return [item.item for item in node.items]
    return [each.decorator for each in node.decorators] if isinstance(node, cst.FunctionDef) else []
