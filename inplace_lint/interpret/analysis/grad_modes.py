"""Grad modes in a file: the functions that it calls only where no gradients are recorded."""

from __future__ import annotations

import re

from inplace_lint.source import ir
from inplace_lint.source.spelling import called_name, ir_text
from inplace_lint.source.walk import nodes
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
        (node.body[0].span.row, node.body[-1].span.end_row)
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


_ASKED = re.compile(r"\b(?:if|and|or|not|any)\b|(?P<ends>[\n=])|(?P<read>\.requires_grad\b(?!\s*=[^=]))")


def asks_for_gradients(text: str) -> bool:
    """Whether a file finds out by itself if gradients are wanted, and so need not be told."""
    if "is_grad_enabled(" in text:
        return True
    if ".requires_grad" not in text:
        return False
    asking = False
    for found in _ASKED.finditer(text):
        if asking and found["read"]:
            return True
        asking = not found["ends"] and (asking or not found["read"])
    return False
