"""The parts of a subscript, each an integer, a range, a mask or positions."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeGuard

from inplace_lint.interpret.python import plain
from inplace_lint.interpret.state.keys import Binary, Count, Shape, Unary
from inplace_lint.interpret.state.made_of import is_of_masks
from inplace_lint.interpret.state.plain_data import take_for_positions
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Arguments, List, Ref, Unknown, Value, identity, resolve
from inplace_lint.source import ir
from inplace_lint.torch_model.constant import Constant
from inplace_lint.torch_model.op_names import GETITEM
from inplace_lint.torch_model.operands import Operand
from inplace_lint.torch_model.subscript import (
    FULL,
    Advanced,
    Full,
    IndexPart,
    NewAxis,
    Position,
    Range,
    Rest,
    Subscript,
    Unsure,
)
from inplace_lint.torch_model.tensor import Tensor


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a subscript, and where it came from."""

    cut: IndexPart
    ref: Ref | None = None
    node: ir.Expr | None = None


def index_of(run: Run, node: ir.Expr) -> tuple[Part, ...]:
    """The parts of a subscript."""
    if not (isinstance(node, ir.Sequence) and node.kind == "tuple"):
        return tuple(_parts(run, node, whole=True))
    return tuple(part for item in node.items for part in _parts(run, item, whole=isinstance(item, ir.Starred)))


def _parts(run: Run, node: ir.Expr, whole: bool) -> list[Part]:
    """The parts that an expression gives: a tuple several if it is the `whole` subscript, else positions."""
    if isinstance(node, ir.Slice):
        bounds = [run.evaluate(part) if part else Ref(None) for part in (node.lower, node.upper, node.step)]
        _read_changed(run, bounds, node)
        return [_range([resolve(bound.value) for bound in bounds])]
    ref = run.evaluate(node.value if isinstance(node, ir.Starred) else node)
    value = resolve(ref.value)
    if _is_range(value):
        return list(value)
    # A list with ranges in it counts as a tuple.
    if isinstance(value, List) and (
        (value.kind == "tuple" and whole) or any(_is_called_range(resolve(each.value)) for each in value.items)
    ):
        return [part for item in value.items for part in _parts_of(run, item, node)]
    return [_part(run, ref, node)]


def _read_changed(run: Run, bounds: Sequence[Ref], node: ir.Slice) -> None:
    """Read the bounds that an operand of the same subscript has changed: `rows[start : start.add_(2)]`."""
    for bound in bounds:
        tensor = resolve(bound.value)
        last = tensor.storage.writes[-1:] if isinstance(tensor, Tensor) else []
        if isinstance(tensor, Tensor) and any(write.time > run.torch.statement for write, _, _ in last):
            operand = Operand(tensor, run.site(node), bound.binding, run.torch.clock, tensor.label, bound.way)
            run.torch.read(operand, GETITEM)


def _is_range(value: Value) -> TypeGuard[tuple[Part, ...]]:
    """Whether a value is what `slice(...)` gives."""
    return isinstance(value, tuple) and all(isinstance(part, Part) for part in value)


def _is_called_range(value: Value) -> bool:
    """Whether a value is a range, or nobody knows more of it than that it is called so."""
    return _is_range(value) or (isinstance(value, Unknown) and "slice" in value.label.lower())


def _parts_of(run: Run, item: Ref, node: ir.Expr) -> list[Part]:
    value = resolve(item.value)
    return list(value) if _is_range(value) else [_part(run, item, node)]


def range_of(arguments: Arguments) -> tuple[Part, ...]:
    """What `slice(...)` stands for in a subscript."""
    given = [resolve(passed.ref.value) for passed in arguments.positional]
    first = [None] if len(given) == 1 else []
    return (_range([*first, *given, None, None, None][:3]),)


def _range(bounds: list[Value]) -> Part:
    """A range with a lower bound, an upper one and a step."""
    lower, upper, step = [identity(bound) for bound in bounds]
    return Part(Range(lower, upper, step) if bounds != [None, None, None] else FULL)


def _part(run: Run, ref: Ref, node: ir.Expr) -> Part:
    value = resolve(ref.value)
    take_for_positions(run, value)
    if value is ...:
        return Part(Rest(), ref, node)
    if value is None:
        return Part(NewAxis(), ref, node)
    if isinstance(value, (Tensor, List)) and not (isinstance(value, Tensor) and value.sizes == ()):
        return Part(Advanced(identity(value)), ref, node)
    if isinstance(value, (bool,)):
        return Part(Advanced(value), ref, node)
    unsure = isinstance(value, Unknown) and not is_count(value)
    return Part(Unsure(identity(value)) if unsure else Position(identity(value)), ref, node)


def of_text(text: str, index: tuple[Part, ...]) -> Ref | None:
    """`text[index]`, if it is known which part that is."""
    if len(index) != 1:
        return None
    cut = index[0].cut
    if isinstance(cut, Full):
        return Ref(text)
    if isinstance(cut, Range):
        bounds = [bound.value for bound in (cut.lower, cut.upper, cut.step) if isinstance(bound, Constant)]
        return plain.computed(lambda whole: whole[slice(*bounds)], text) if len(bounds) == 3 else None
    return plain.computed(operator.getitem, text, index[0].ref.value) if index[0].ref is not None else None


def may_be_number(part: Part) -> bool:
    """Whether a part of a subscript is one number, as far as is known."""
    value = resolve(part.ref.value) if part.ref is not None else None
    if isinstance(part.cut, Advanced):
        return isinstance(value, Tensor) and value.sizes is None and value.dtype != "bool"
    return isinstance(part.cut, (Position, Unsure))


def is_count(value: Unknown) -> bool:
    """Whether an unknown index is surely a number: a loop counter, or arithmetic on one."""
    made = value.key.made
    return not is_of_masks(made) and (value.is_whole or isinstance(made, (Count, Binary, Unary, Shape)))


def whole_key(index: tuple[Part, ...]) -> Ref | None:
    """What a list or dictionary is asked for."""
    if len(index) == 1:
        return index[0].ref
    refs = [part.ref for part in index]
    return Ref(List("tuple", [ref for ref in refs if ref is not None])) if None not in refs else None


def cuts_of(index: tuple[Part, ...]) -> Subscript:
    """What all parts take."""
    return tuple([part.cut for part in index])


def has_text(index: tuple[Part, ...]) -> bool:
    """Whether something is asked for by a text, which no tensor is."""
    return any(part.ref is not None and isinstance(resolve(part.ref.value), str) for part in index)


def known_positions(part: Part) -> list[int]:
    """The positions in a list of numbers that count from the front; none if it is no such list."""
    value = resolve(part.ref.value) if part.ref is not None else None
    items = [resolve(ref.value) for ref in value.items] if isinstance(value, List) and not value.open else []
    known = [item for item in items if isinstance(item, int) and not isinstance(item, bool) and item >= 0]
    return known if len(known) == len(items) else []
