"""Operators that classes of the program define: `a + b` calls `a.__add__(b)`, or else `b.__radd__(a)`."""

from __future__ import annotations

from inplace_lint.interpret.state.conditions import truth
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Instance, Library, List, Ref, Value, resolve
from inplace_lint.source import ir

_METHODS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "@": "matmul",
    "&": "and", "|": "or", "^": "xor", "<<": "lshift", ">>": "rshift",
}  # fmt: skip
_UNARY = {"-": "neg", "+": "pos", "~": "invert"}
# How a comparison asks its left side, and how its right side.
_COMPARING = {
    "==": ("eq", "eq"), "!=": ("ne", "ne"),
    "<": ("lt", "gt"), "<=": ("le", "ge"), ">": ("gt", "lt"), ">=": ("ge", "le"),
}  # fmt: skip


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


def compared(run: Run, op: str, left: Ref, right: Ref, node: ir.Node) -> Ref | None:
    """`left op right` of a comparison, or `left in right`; None if no class of the program says what that is."""
    if op in ("in", "not in"):
        found = run.special_method(right, "__contains__", (left,), node)
        return found if op == "in" or found is None else Ref(not truth(run, found.value, node))
    of_left, of_right = _COMPARING[op]
    asked = [run.special_method(left, f"__{of_left}__", (right,), node)]
    if not _is_told(asked[0]):
        asked.append(run.special_method(right, f"__{of_right}__", (left,), node))
    if _is_told(asked[-1]):
        return asked[-1]
    if op == "!=":
        same = compared(run, "==", left, right, node)
        return Ref(not truth(run, same.value, node)) if same is not None else None
    return Ref(resolve(left.value) is resolve(right.value)) if op == "==" and any(asked) else None


def _is_told(found: Ref | None) -> bool:
    """Whether a method knows the answer: `NotImplemented` asks the other side."""
    return found is not None and not isinstance(resolve(found.value), Library)


def augmented(run: Run, op: str, target: Ref, value: Ref, node: ir.Node) -> Ref | None:
    """What the target of `target op= value` is bound to; None if it has no method for that."""
    name = _METHODS.get(op)
    return run.special_method(target, f"__i{name}__", (value,), node) if name is not None else None


def unary(run: Run, op: str, ref: Ref, node: ir.Node) -> Ref | None:
    """`op value`; None if it has no method for that."""
    name = _UNARY.get(op)
    return run.special_method(ref, f"__{name}__", (), node) if name is not None else None
