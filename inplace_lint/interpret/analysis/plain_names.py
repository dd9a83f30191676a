"""The variables of a function that surely hold no tensor, by its syntax: numbers, texts, lists and dicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from inplace_lint.interpret.python.annotations import annotated_kind
from inplace_lint.source import ir
from inplace_lint.source.spelling import called_name

_KINDS = frozenset({"int", "float", "str", "bool"})
_MAKERS = frozenset(
    "dict list set tuple frozenset defaultdict OrderedDict Counter deque str len int float bool sorted range round "
    "numel nelement item dim index count find join format items keys tolist time perf_counter".split()
)
_SHAPES = frozenset({"shape", "ndim", "dtype", "itemsize"})


@dataclass(frozen=True, slots=True)
class Names:
    """The variables of a function.

    Args:
        bound: those that hold values; others are those of functions, classes and modules.
        plain: those among them that surely hold no tensor.
    """

    bound: frozenset[str]
    plain: frozenset[str]


def names_of_values(params: Iterable[ir.Param], body: Iterable[ir.Node]) -> Names:
    """The variables of a function, of which all nodes are given."""
    given: dict[str, list[ir.Expr | None]] = {}
    for node in (*params, *body):
        for name, value in _bound(node):
            given.setdefault(name, []).append(value)
    plain = frozenset(given)
    while True:  # `a = b`: each rests on what the others are
        left = frozenset(name for name in plain if all(is_plain(value, plain) for value in given[name]))
        if left == plain:
            return Names(frozenset(given), plain)
        plain = left


def is_plain(value: ir.Expr | None, plain: frozenset[str]) -> bool:
    """Whether a value is surely no tensor, if these names hold none."""
    if is_display(value) or isinstance(value, ir.Const):
        return True
    if isinstance(value, ir.Name):
        return value.id in plain
    if isinstance(value, ir.Attr):
        return value.name in _SHAPES
    if isinstance(value, ir.Index):
        return isinstance(value.value, ir.Attr) and value.value.name == "shape"
    if isinstance(value, ir.Call):
        return called_name(value) in _MAKERS
    if isinstance(value, (ir.Binary, ir.BoolOp)):
        return is_plain(value.left, plain) and is_plain(value.right, plain)
    if isinstance(value, ir.IfExp):
        return is_plain(value.then, plain) and is_plain(value.orelse, plain)
    return isinstance(value, ir.Unary) and is_plain(value.value, plain)


def is_display(value: ir.Expr | None) -> bool:
    """Whether an expression is a text, or makes a list, dict or function."""
    displays = isinstance(value, (ir.Sequence, ir.Dict, ir.Comprehension, ir.Lambda, ir.Opaque))
    return displays or (isinstance(value, ir.Const) and isinstance(value.value, (str, bytes)))


def _bound(node: ir.Node) -> Iterator[tuple[str, ir.Expr | None]]:
    """What a node binds, and to which value; None if that may be anything."""
    if isinstance(node, ir.Assign):
        for target in node.targets:
            whole = isinstance(target, ir.Name)
            yield from ((name, node.value if whole else None) for name in _names(target))
    elif isinstance(node, ir.AugAssign):
        yield from ((name, node.value) for name in _names(node.target))
    elif isinstance(node, ir.Param):
        holds = node.kind in ("args", "kwargs") or annotated_kind(node.annotation) in _KINDS
        yield node.name, ir.Sequence(node.span, "tuple", ()) if holds else None
    elif isinstance(node, ir.With):
        yield from ((name, None) for _, target in node.items if target is not None for name in _names(target))
    else:
        yield from _declared(node)


def _declared(node: ir.Node) -> Iterator[tuple[str, ir.Expr | None]]:
    """What a walrus or a `global` statement binds."""
    if isinstance(node, ir.Named):
        yield node.target.id, node.value
    else:
        yield from _bound_otherwise(node)


def _bound_otherwise(node: ir.Node) -> Iterator[tuple[str, ir.Expr | None]]:
    """What loops and declarations bind."""
    if isinstance(node, (ir.For, ir.Clause)):
        counts = isinstance(node.iter, ir.Call) and called_name(node.iter) == "range"
        yield from ((name, node.iter if counts else None) for name in _names(node.target))
    elif isinstance(node, ir.Scope):
        yield from ((name, None) for name in node.names)


def _names(target: ir.Expr) -> Iterator[str]:
    """The variables that an assignment to a target binds."""
    if isinstance(target, ir.Name):
        yield target.id
    elif isinstance(target, ir.Starred):
        yield from _names(target.value)
    elif isinstance(target, ir.Sequence):
        for item in target.items:
            yield from _names(item)
