"""Comparisons: of numbers and texts by their values, of tensors as ops, of what is unknown as open questions."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from inplace_lint.interpret.python import overloading, plain
from inplace_lint.interpret.python.counters import length_by_then, told_by_least
from inplace_lint.interpret.python.iteration import sizes_of_shape
from inplace_lint.interpret.python.kinds import is_type
from inplace_lint.interpret.python.overloading import is_overloaded
from inplace_lint.interpret.state import unsure_keys
from inplace_lint.interpret.state.classes import class_member, library_bases
from inplace_lint.interpret.state.conditions import asked_of_option, compared_with_option
from inplace_lint.interpret.state.keys import (
    Answer,
    Attribute,
    Compare,
    Equal,
    Field,
    Is,
    Not,
    Parameter,
    Query,
    Shape,
    key_of,
)
from inplace_lint.interpret.state.plain_data import note_compared
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.unsure_keys import entry_key
from inplace_lint.interpret.state.values import (
    Class,
    Dict,
    Instance,
    Library,
    List,
    Ref,
    Unknown,
    Value,
    identity,
    resolve,
)
from inplace_lint.interpret.torch.operators import binary
from inplace_lint.source import ir
from inplace_lint.torch_model.tensor import Tensor

_PLAIN = (int, float, str, type(None))
_ORDER: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def compare(run: Run, op: str, left: Ref, right: Ref, node: ir.Node, left_node: ir.Expr, right_node: ir.Expr) -> Value:
    """What an operator of a comparison gives for two values; `left_node` and `right_node` are how they are spelled."""
    taken = asked_of_option(run, op, left.value, right.value)
    if taken is None:
        taken = compared_with_option(run, op, left.value, right.value)
    if taken is not None:
        return taken
    a, b = resolve(left.value), resolve(right.value)
    if op in ("is", "is not") or (op in ("==", "!=") and (_asks_for_none(a, b) or _asks_for_none(b, a))):
        same = _is(run, left.value, right.value)
        return same if op in ("is", "==") else _negated(run, same)
    if is_overloaded(a) or is_overloaded(b):
        found = overloading.compared(run, op, left, right, node)
        if found is not None:
            return found.value
    if op in ("in", "not in"):
        within = _contains(run, a, b)
        return within if op == "in" else _negated(run, within)
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        if op in ("==", "!="):
            note_compared(run, a, b)
        return binary(run, op, left, right, node, left_node, right_node)
    return _compare_plain(run, op, a, b, node, left_node, right_node)


def _compare_plain(
    run: Run, op: str, a: Value, b: Value, node: ir.Node, left_node: ir.Expr, right_node: ir.Expr
) -> Value:
    """What comparing two numbers, texts or containers gives."""
    a, b = length_by_then(run, a, left_node, right_node), length_by_then(run, b, right_node, left_node)
    if isinstance(a, _PLAIN) and isinstance(b, _PLAIN):
        try:
            return _ORDER[op](a, b)
        except TypeError:
            return run.unknown(run.key(node))
    if isinstance(a, (List, Dict)) and (known := plain.computed(_ORDER[op], a, b)) is not None:
        return known.value
    told = told_by_least(op, a, b) if isinstance(a, Unknown) else told_by_least(_MIRRORED[op], b, a)
    if told is not None:
        return told
    if op in ("==", "!="):
        same = _equal(run, a, b)
        return same if op == "==" else _negated(run, same)
    return run.unknown(Compare(op, identity(a), identity(b)))


def _equal(run: Run, a: Value, b: Value) -> Value:
    if (named := _same_name(a, b)) is not None:
        return named
    if _differ(run, a, b) or _differ(run, b, a):
        return False
    if (same := _items_equal(run, _counted(run, a), _counted(run, b))) is not None:
        return same
    key = Equal(frozenset((identity(a), identity(b))))
    if a == "" or b == "":  # Who passes an empty text leaves something out, as by an option.
        return run.oracle.option(key_of(key), usual=False)
    if any(_is_special(*pair) or _names_other_framework(*pair) for pair in ((a, b), (b, a))):
        return run.oracle.truth(key_of(key), likely=False)
    return run.unknown(key)


# What programs call the frameworks beside PyTorch that they may compute with, too.
_OTHER_FRAMEWORKS = frozenset("tensorflow tensorflow.compat.v1 tf jax flax paddle mindspore mxnet theano cupy".split())


def _names_other_framework(name: Value, value: Value) -> bool:
    """Whether it is asked for another framework: who uses this one's tensors does not go there."""
    return isinstance(value, Unknown) and isinstance(name, str) and name in _OTHER_FRAMEWORKS


def _is_special(number: Value, value: Value) -> bool:
    """Whether a number is one that a function has to treat apart: the size of what is empty, or one; a drawn weight.

    Of an option, it may be what most give.
    """
    made = value.key.made if isinstance(value, Unknown) else None
    if isinstance(number, float):
        return not isinstance(made, (Parameter, Attribute, Field))
    return number in (0, 1) and isinstance(made, Shape) and made.query in ("size", "numel")


def _differ(run: Run, one: Value, other: Value) -> bool:
    """Whether one is a container, or an object that says nothing of that, and the other a number or text."""
    if not isinstance(other, (int, float, str)):
        return False
    if isinstance(one, Instance) and isinstance(one.cls, Class):
        return not one.guess and not library_bases(one.cls) and class_member(run, one.cls, "__eq__") is None
    return isinstance(one, (List, Dict))


def _counted(run: Run, value: Value) -> Value:
    """A value; for a shape, if it is known of how many dimensions, the tuple of the sizes."""
    return sizes_of_shape(run, value) or value if isinstance(value, Unknown) else value


def _items_equal(run: Run, a: Value, b: Value) -> bool | None:
    """Whether two lists or two tuples have equal elements; None if not all of them are known that decide it."""
    if not (isinstance(a, List) and isinstance(b, List)) or a.open or b.open:
        return None
    if a.kind != b.kind or a.kind not in ("list", "tuple"):
        return None
    if len(a.items) != len(b.items):
        return False
    pairs = [(resolve(one.value), resolve(other.value)) for one, other in zip(a.items, b.items, strict=True)]
    found = [_surely_equal(run, one, other) for one, other in pairs]
    return False if False in found else None if None in found else True


def _surely_equal(run: Run, one: Value, other: Value) -> bool | None:
    if isinstance(one, _PLAIN) and isinstance(other, _PLAIN):
        return one == other
    if isinstance(one, Unknown) and isinstance(other, Unknown):
        return True if identity(one) == identity(other) else None
    return _items_equal(run, one, other)


def _asks_for_none(one: Value, other: Value) -> bool:
    """Whether a value is compared with None by `==`: no tensor equals it, while an array answers for each element."""
    return one is None and not (isinstance(other, Tensor) and other.array)


def _is(run: Run, left: Value, right: Value) -> Value:
    a, b = resolve(left), resolve(right)
    if a is b:
        return True
    if (named := _same_name(a, b)) is not None:
        return named
    if not (isinstance(a, Unknown) or isinstance(b, Unknown)):
        if right is None and _was_looked_up(left):
            return _whether_same(run, a, b)
        if isinstance(a, bool) or isinstance(b, bool) or a is None or b is None:
            return a is b
        if isinstance(a, Tensor) or isinstance(b, Tensor):
            return False
    if (b is None and _has_past(a)) or (a is None and _has_past(b)):
        return False
    return _whether_same(run, a, b)


def _same_name(a: Value, b: Value) -> bool | None:
    """Whether two values are the same function or type of a library; None if that is not known of them."""
    if not (isinstance(a, Library) and isinstance(b, Library)):
        return None
    return True if a.name == b.name else False if is_type(a) and is_type(b) else None


def _whether_same(run: Run, a: Value, b: Value) -> Value:
    return run.unknown(Is(frozenset((identity(a), identity(b)))))


def _was_looked_up(value: Value) -> bool:
    """Whether a value was asked for by a key that may not be there: who tests that means so, whatever it is else."""
    made = value.key.made if isinstance(value, Unknown) else None
    return isinstance(made, Query) and made.name == "get" and len(made.arguments) == 1


def _has_past(value: Value) -> bool:
    """Whether a value was computed from tensors that require grad."""
    return isinstance(value, Unknown) and bool(value.history)


def _negated(run: Run, value: Value) -> Value:
    return not value if isinstance(value, bool) else run.unknown(Not(identity(value)))


def _has_key(run: Run, table: Dict, key: Value) -> Value:
    if entry_key(key) in table.items or unsure_keys.likely(run, table, key) is not None:
        return True
    unsure = table.open or (isinstance(key, Unknown) and table.items)
    return run.unknown(Answer("in", (identity(key), run.known(table)))) if unsure else False


def _contains(run: Run, a: Value, b: Value) -> Value:
    if isinstance(b, Instance) and b.children is not None:
        b = b.children
    if isinstance(b, Dict):
        return _has_key(run, b, a)
    if isinstance(b, List) and not b.items and not b.open:
        return False
    if isinstance(b, (str, List)) and (known := plain.computed(lambda x, y: x in y, a, b)) is not None:
        return known.value
    key = Answer("in", (identity(a), identity(b)))
    names = [resolve(item.value) for item in b.items] if isinstance(b, List) else []
    if names and all(_names_other_framework(name, a) for name in names):
        return run.oracle.truth(key, likely=False)
    return run.unknown(key)
