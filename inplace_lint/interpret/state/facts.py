"""What the syntax of a function shows, in one pass: where it may write, what it calls, what it mentions."""

from __future__ import annotations

from inplace_lint.source import ir
from inplace_lint.source.facts import FunctionFacts
from inplace_lint.source.spelling import called_name
from inplace_lint.source.syntax import OUT_OF_PLACE_METHODS, is_spelled_in_place
from inplace_lint.source.walk import nodes

_KEYWORDS = frozenset({"out", "inplace", "in_place"})
_NAMES = frozenset({"data", "step", "numpy", "from_numpy", "backward", "save_for_backward", "register_hook", "inplace"})


def facts(function: ir.Function) -> FunctionFacts:
    """What the syntax of a function shows."""
    if function.facts is None:
        rows: set[int] = set()
        calls: list[tuple[str, int]] = []
        mentions: set[str] = set()
        fills = False
        for node in nodes(function.body):
            if isinstance(node, ir.Name):
                mentions.add(node.id)
            elif isinstance(node, ir.Call) and (name := called_name(node)):
                calls.append((name, node.span.end_row))
            fills = fills or _fills(node)
            if _may_write(node):
                rows.add(node.span.row)
        function.facts = FunctionFacts(tuple(sorted(rows)), tuple(calls), frozenset(mentions), fills)
    return function.facts


def may_write(function: ir.Function) -> bool:
    """Whether a function has anything that may write memory in place."""
    return bool(facts(function).write_rows)


def _fills(node: ir.Node) -> bool:
    return isinstance(node, ir.Assign) and any(isinstance(target, ir.Index) for target in node.targets)


def _may_write(node: ir.Node) -> bool:
    """Whether a node may write memory in place, or depends on such writes."""
    if isinstance(node, ir.AugAssign):
        return True
    if isinstance(node, ir.Arg):
        return node.keyword in _KEYWORDS
    if isinstance(node, ir.Attr):
        return node.name in _NAMES or is_spelled_in_place(node.name)
    if isinstance(node, ir.ExprStmt):  # `x.clamp(0, 1)` may have been meant to write
        return isinstance(node.value, ir.Call) and called_name(node.value) in OUT_OF_PLACE_METHODS
    return _fills(node) or (isinstance(node, ir.Name) and is_spelled_in_place(node.id))
