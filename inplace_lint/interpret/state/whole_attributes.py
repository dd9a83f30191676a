"""Attributes that hold whole numbers or truth values: so a class makes them wherever it gives them a value."""

from __future__ import annotations

from inplace_lint.interpret.state.facts import facts
from inplace_lint.source import ir
from inplace_lint.source.spelling import last_word
from inplace_lint.source.walk import nodes

_WHOLE = frozenset("long int64 int int32 int16 short int8 uint8 bool".split())


def wholes_given(code: ir.Function, name: str) -> list[bool]:
    """For each value that a method gives an attribute, whether it is a tensor that is asked to be whole, or None."""
    if name not in facts(code).assigned:
        return []
    assignments = (node for node in nodes(code.body) if isinstance(node, ir.Assign))
    return [_is_whole(node.value) for node in assignments if any(_is_called(each, name) for each in node.targets)]


def _is_called(target: ir.Expr, name: str) -> bool:
    return any(isinstance(node, ir.Attr) and node.name == name for node in nodes(target))


def _is_whole(value: ir.Expr) -> bool:
    """Whether a call asks for whole numbers; None is no tensor at all."""
    if isinstance(value, ir.Const) and value.value is None:
        return True
    return isinstance(value, ir.Call) and any(
        arg.keyword == "dtype" and last_word(arg.value) in _WHOLE for arg in value.args
    )
