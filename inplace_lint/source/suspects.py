"""Which functions may write in place at all, judged by their syntax alone."""

from __future__ import annotations

import re

from inplace_lint.source import ir
from inplace_lint.source.syntax import OUT_OF_PLACE_METHODS, is_spelled_in_place
from inplace_lint.source.walk import nodes

_KEYWORDS = frozenset({"out", "inplace", "in_place"})
_NAMES = frozenset({"data", "step", "numpy", "from_numpy", "backward", "save_for_backward", "register_hook", "inplace"})


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


def runs_itself(text: str) -> bool:
    """Whether a file is a program, not only a library: it is run, or trains something."""
    return "__main__" in text or ".backward(" in text


def may_write(function: ir.Function) -> bool:
    """Whether a function has anything that may write memory in place, or depends on such writes."""
    return bool(suspect_rows(function))


def suspect_rows(function: ir.Function) -> tuple[int, ...]:
    """The rows of all that, in order."""
    if function.suspects is None:
        rows = {node.span.row for node in nodes(function.body) if _suspect(node)}
        function.suspects = tuple(sorted(rows))
    return function.suspects


def may_register(function: ir.Function) -> bool:
    """Whether a decorator may put what it decorates into a container."""
    return any(map(_keeps, nodes(function.body)))


_KEEPING = re.compile("append|add|insert|update|setdefault|extend|regist|put")


def _keeps(node: ir.Node) -> bool:
    if isinstance(node, ir.Assign):
        return any(isinstance(target, ir.Index) for target in node.targets)
    if not isinstance(node, ir.Call):
        return False
    return _KEEPING.search(called_name(node)) is not None


def called_name(call: ir.Call) -> str:
    """The last word of what is called; empty if it has none."""
    function = call.func
    return function.name if isinstance(function, ir.Attr) else function.id if isinstance(function, ir.Name) else ""


def mentions(function: ir.Function, name: str) -> bool:
    """Whether a function uses a name."""
    return any(isinstance(node, ir.Name) and node.id == name for node in nodes(function.body))


def _suspect(node: ir.Node) -> bool:
    if isinstance(node, ir.AugAssign):
        return True
    if isinstance(node, ir.Assign):
        return any(isinstance(target, ir.Index) for target in node.targets)
    if isinstance(node, ir.Arg):
        return node.keyword in _KEYWORDS
    if isinstance(node, ir.Attr):
        return node.name in _NAMES or is_spelled_in_place(node.name)
    if isinstance(node, ir.ExprStmt):  # `x.clamp(0, 1)` may have been meant to write
        return isinstance(node.value, ir.Call) and called_name(node.value) in OUT_OF_PLACE_METHODS
    return isinstance(node, ir.Name) and is_spelled_in_place(node.id)


def asks_by_remainder(loop: ir.For) -> bool:
    """Whether what a loop does depends on the remainder of its turn's number: `if (i + 1) % 4 == 0`."""
    return _habits(loop)[0]


def rotated(loop: ir.For) -> int:
    """How many names change places in a loop, as in `old, new = new, old`."""
    return _habits(loop)[1]


def _habits(loop: ir.For) -> tuple[bool, int]:
    if loop.habits is None:
        number = loop.target.items[0] if isinstance(loop.target, ir.Sequence) and loop.target.items else None
        asks, most = False, 0
        for node in nodes(loop.body):
            if isinstance(node, ir.Binary) and node.op == "%" and isinstance(number, ir.Name):
                asks |= any(isinstance(part, ir.Name) and part.id == number.id for part in nodes(node.left))
            elif isinstance(node, ir.Assign) and isinstance(node.value, ir.Sequence):
                given = _names(node.value)
                if len(given) > 1 and all(_names(target) == given for target in node.targets):
                    most = max(most, len(given))
        loop.habits = asks, most
    return loop.habits


def _names(node: ir.Expr) -> set[str]:
    """The names in a display of nothing else."""
    if not isinstance(node, ir.Sequence):
        return set()
    names = {item.id for item in node.items if isinstance(item, ir.Name)}
    return names if len(names) == len(node.items) else set()
