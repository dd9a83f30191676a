"""Operators that classes of the program define: `a + b` calls `a.__add__(b)`, or else `b.__radd__(a)`."""

from __future__ import annotations

from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Instance, List, Ref, Value, resolve
from inplace_lint.source import ir

_METHODS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "@": "matmul",
    "&": "and", "|": "or", "^": "xor", "<<": "lshift", ">>": "rshift",
}  # fmt: skip
_UNARY = {"-": "neg", "+": "pos", "~": "invert"}


def is_overloaded(value: Value) -> bool:
    """Whether a value may have operators of its own: it is an object of the program, or a tuple of such a class."""
    return isinstance(value, Instance) or (isinstance(value, List) and value.cls is not None)


def binary(run: Run, op: str, left: Ref, right: Ref, node: ir.Node) -> Ref | None:
    """`left op right`; None if no class of the program says what that is."""
    name = _METHODS.get(op)
    if name is None:
        return None
    found = None
    if is_overloaded(resolve(left.value)):
        found = run.special_method(left, f"__{name}__", (right,), node)
    if found is None and is_overloaded(resolve(right.value)):
        found = run.special_method(right, f"__r{name}__", (left,), node)
    return found


def augmented(run: Run, op: str, target: Ref, value: Ref, node: ir.Node) -> Ref | None:
    """What the target of `target op= value` is bound to; None if it has no method for that."""
    name = _METHODS.get(op)
    return run.special_method(target, f"__i{name}__", (value,), node) if name is not None else None


def unary(run: Run, op: str, ref: Ref, node: ir.Node) -> Ref | None:
    """`op value`; None if it has no method for that."""
    name = _UNARY.get(op)
    return run.special_method(ref, f"__{name}__", (), node) if name is not None else None
