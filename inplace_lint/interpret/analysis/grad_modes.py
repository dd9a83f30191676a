"""Grad modes in a file: functions called only where no gradients are recorded, and functions that ask."""

from __future__ import annotations

from inplace_lint.source import ir
from inplace_lint.source.spelling import called_name, ir_text
from inplace_lint.source.walk import last_row, nodes
from inplace_lint.torch_model.modes import WITHOUT_GRADIENTS

_Call = tuple[str, str, bool]
"""The name of what is called, that of who calls it, and whether no gradients are recorded there."""


def called_without_gradients(module: ir.Module) -> frozenset[str]:
    """Functions that are called in the file, and only under no-grad contexts, through all their callers."""
    functions = [node for node in nodes(module.body) if isinstance(node, ir.Function)]
    calls = _calls("", module.body, False)
    for function in functions:
        calls += _calls(function.name, function.body, any(map(_switches_off, function.decorators)))
    by_name: dict[str, list[_Call]] = {}
    for call in calls:
        by_name.setdefault(call[0], []).append(call)
    safe: set[str] = set()
    grown = True
    while grown:  # who is only called by itself is not
        more = {
            name
            for name, found in by_name.items()
            if name not in safe and all(without or caller in safe for _, caller, without in found)
        }
        safe, grown = safe | more, bool(more)
    return frozenset(safe)


def _calls(caller: str, body: tuple[ir.Stmt, ...], without: bool) -> list[_Call]:
    """What a function itself calls; functions inside of it are apart."""
    own = list(nodes(body, inner=False))
    blocks = [
        (node.body[0].span.row, last_row(node))
        for node in own
        if isinstance(node, ir.With) and any(_switches_off(context) for context, _ in node.items)
    ]
    return [
        (name, caller, without or any(begin <= node.span.row <= end for begin, end in blocks))
        for node in own
        if isinstance(node, ir.Call) and (name := called_name(node))
    ]


def _switches_off(node: ir.Expr) -> bool:
    """Whether no gradients are recorded under a context or decorator."""
    called = node.func if isinstance(node, ir.Call) else node
    return ir_text(called).rpartition(".")[2] in WITHOUT_GRADIENTS


def rows_that_ask(module: ir.Module) -> list[tuple[int, int]]:
    """The first and the last row of each function that asks for gradients."""
    functions = (node for node in nodes(module.body) if isinstance(node, ir.FunctionDef))
    return [(node.span.row, last_row(node)) for node in functions if asks_for_gradients(node.function)]


def asks_for_gradients(function: ir.Function) -> bool:
    """Whether a function finds out by itself if gradients are recorded, and so need not be told."""
    return any(
        (isinstance(node, ir.Call) and called_name(node) == "is_grad_enabled") or any(map(_asks, _tests(node)))
        for node in nodes(function.body, inner=False)
    )


def _tests(node: ir.Node) -> tuple[object, ...]:
    if isinstance(node, (ir.If, ir.IfExp, ir.While)):
        return (node.test,)
    if isinstance(node, ir.BoolOp):
        return (node.right,) if isinstance(node.left, ir.BoolOp) else (node.left, node.right)
    if isinstance(node, ir.Unary) and node.op == "not":
        return (node.value,)
    return node.args if isinstance(node, ir.Call) and called_name(node) in ("any", "all") else ()


def _asks(test: object) -> bool:
    return any(isinstance(node, ir.Attr) and node.name == "requires_grad" for node in nodes(test))
