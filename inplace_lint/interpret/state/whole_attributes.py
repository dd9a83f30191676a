"""Attributes that hold whole numbers or truth values: so a class makes them wherever it gives them a value."""

from __future__ import annotations

from collections.abc import Iterator

from inplace_lint.interpret.state.facts import facts
from inplace_lint.interpret.state.values import Class, Function
from inplace_lint.source import ir
from inplace_lint.source.spelling import last_word
from inplace_lint.source.walk import nodes

_WHOLE = frozenset("long int64 int int32 int16 short int8 uint8 bool".split())


def holds_whole_numbers(cls: Class, name: str) -> bool:
    """Whether all methods of a class and its bases that assign an attribute give it tensors that are asked to be whole.

    Where none has done so yet, whoever else does will give it the like.
    """
    given = list(_given(cls, name))
    return bool(given) and all(map(_is_whole, given))


def _given(cls: Class, name: str) -> Iterator[ir.Expr]:
    methods = (cell.value for base in cls.lineage for cell in base.frame.cells.values())
    for method in methods:
        if isinstance(method, Function) and name in facts(method.code).assigned:
            method.module.program.look_into(method.module, method.code)
            for node in nodes(method.code.body):
                if isinstance(node, ir.Assign) and any(_is_called(target, name) for target in node.targets):
                    yield node.value


def _is_called(target: ir.Expr, name: str) -> bool:
    return any(isinstance(node, ir.Attr) and node.name == name for node in nodes(target))


def _is_whole(value: ir.Expr) -> bool:
    """Whether a call asks for whole numbers; None is no tensor at all."""
    if isinstance(value, ir.Const) and value.value is None:
        return True
    return isinstance(value, ir.Call) and any(
        arg.keyword == "dtype" and last_word(arg.value) in _WHOLE for arg in value.args
    )
