"""Walks over `ir`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from inplace_lint.source import ir


def nodes(part: object, inner: bool = True) -> Iterator[ir.Node]:
    """All nodes below; with `inner`, also those of the functions and classes defined there."""
    todo = [part]
    while todo:
        current = todo.pop()
        if isinstance(current, tuple):
            todo.extend(current)
        elif isinstance(current, ir.Node):
            yield current
            if isinstance(current, ir.Function):
                todo += [current.params, current.decorators, current.returns, current.body if inner else ()]
            elif inner or not isinstance(current, ir.ClassDef):
                todo.extend(getattr(current, name) for name in _parts(type(current)))


def form(part: object) -> object:
    """What an expression is, wherever it stands: equal for two that are spelled alike."""
    if isinstance(part, tuple):
        return tuple(form(each) for each in part)
    if isinstance(part, ir.Node):
        return (type(part).__name__, *(form(getattr(part, name)) for name in _parts(type(part))))
    return part


def blocks(code: tuple[ir.Stmt, ...]) -> Iterator[tuple[ir.Stmt, ...]]:
    """The blocks of a function, itself among them; not those of functions and classes within."""
    yield code
    for node in nodes(code, inner=False):
        if isinstance(node, (ir.For, ir.While, ir.If)):
            yield from (node.body, node.orelse)
        elif isinstance(node, ir.With):
            yield node.body
        elif isinstance(node, ir.Try):
            yield from (node.body, node.orelse, node.final, *(handler for _, handler in node.handlers))


def is_generator(function: ir.Function) -> bool:
    """Whether a `yield` belongs to the function itself."""
    if function.yields is None:
        own = nodes(function.body, inner=False)
        function.yields = any(isinstance(node, ir.Yield) and node.kind != "await" for node in own)
    return function.yields


def last_row(node: ir.Node) -> int:
    """The row where a statement ends; the span of one that has blocks is that of its first line."""
    if isinstance(node, ir.If) and node.last_row:
        return node.last_row
    last = node
    while block := _last_block(last):
        last = block[-1]
    if isinstance(node, ir.If):
        node.last_row = last.span.end_row
    return last.span.end_row


def _last_block(node: ir.Node) -> tuple[ir.Stmt, ...]:
    if isinstance(node, (ir.If, ir.For, ir.While)):
        return node.orelse or node.body
    if isinstance(node, ir.Try):
        return node.final or node.orelse or (node.handlers[-1][1] if node.handlers else node.body)
    if isinstance(node, ir.FunctionDef):
        return node.function.body
    return node.body if isinstance(node, (ir.With, ir.ClassDef)) else ()


_known: dict[type, tuple[str, ...]] = {}


def _parts(kind: type) -> tuple[str, ...]:
    if kind not in _known:
        _known[kind] = tuple(part.name for part in fields(kind) if part.name != "span")
    return _known[kind]
