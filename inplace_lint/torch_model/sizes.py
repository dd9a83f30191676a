"""Sizes of tensors: numbers, and symbols for those that are only known to be equal.

They decide which dimensions `expand` repeats.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from inplace_lint.torch_model.effects import Shape
from inplace_lint.torch_model.op_names import twin_of
from inplace_lint.torch_model.op_table import table
from inplace_lint.torch_model.regions import number
from inplace_lint.torch_model.subscript import NewAxis, Position, Range, Rest, Subscript


@dataclass(frozen=True, slots=True)
class Symbol:
    """A size that is no literal, such as that of a dimension of what is given; it may be 1, but seldom is."""

    of: Hashable


Size = int | Symbol | None
Sizes = tuple[Size, ...]
"""One entry a dimension; None where nothing is known of the size of that one."""


def numbers(sizes: Sizes | None) -> tuple[int | None, ...] | None:
    """Sizes, of which only numbers are wanted."""
    return tuple([size if isinstance(size, int) else None for size in sizes]) if sizes is not None else None


def broadcast(shapes: Iterable[Sizes | None]) -> Sizes | None:
    """Sizes of the result of an elementwise op, None if the number of dimensions is not known."""
    known = []
    for shape in shapes:
        if shape is None:
            return None
        known.append(shape)
    rank = max(map(len, known), default=None)
    if rank is None:
        return None
    columns = zip(*((1,) * (rank - len(shape)) + tuple(shape) for shape in known), strict=True)
    return tuple(_together(column) for column in columns)


def _together(sizes: Sequence[Size]) -> Size:
    larger = [size for size in sizes if size != 1]
    number = next((size for size in larger if isinstance(size, int)), None)
    if number is not None:
        return number
    if not larger:
        return 1
    return larger[0] if len(set(larger)) == 1 else None


def result(shape: Shape, shapes: Iterable[Sizes | None]) -> Sizes | None:
    """Sizes of the new tensor that an op makes of tensors of these sizes; None if not even their number is known.

    Args:
        shape: what the op table says of the op's results.
    """
    if shape == "broadcast":
        return broadcast(shapes)
    return (None,) * shape if isinstance(shape, int) else None


def reduced(sizes: Sizes | None, dim: object, keepdim: bool = True) -> Sizes | None:
    """Sizes of what an op gives that puts all elements of a dimension together; with `keepdim`, that one is left as 1.

    None if it is not known which dimension that is.
    """
    if sizes is None or not isinstance(dim, int) or not -len(sizes) <= dim < len(sizes):
        return None
    at = dim % len(sizes)
    return (*sizes[:at], *((1,) if keepdim else ()), *sizes[at + 1 :])


def is_elementwise(op: str) -> bool:
    """Whether the result has the broadcast shape of the operands."""
    return any(row.shape == "broadcast" for row in table().overloads(op))


def is_only_elementwise(op: str) -> bool:
    """Whether it has that with all arguments: `torch.min` takes one tensor, or two."""
    rows = table().overloads(op)
    return bool(rows) and all(row.shape == "broadcast" for row in rows)


def is_unary(op: str) -> bool:
    """Whether an op makes of each element another one, by that alone: `sigmoid_`, but not `mul_`."""
    rows = [row for row in table().overloads(twin_of(op)) if row.shape == "broadcast"]
    return any(sum(not param.optional for param in row.params) == 1 for row in rows)


def expand(sizes: Sizes | None, wanted: Sequence[Size]) -> tuple[bool, ...] | None:
    """Which dimensions of `tensor.expand(*wanted)` repeat the same memory.

    Args:
        wanted: the sizes asked for, -1 to keep one; None where one is not known, and likely to grow.
    """
    if sizes is None or len(wanted) < len(sizes):
        return None
    old = (1,) * (len(wanted) - len(sizes)) + tuple(sizes)
    return tuple([_grows(size, want) for want, size in zip(wanted, old, strict=True)])


def _grows(size: Size, wanted: Size) -> bool:
    """Whether a dimension of some size becomes larger; only one of size 1 can."""
    if size == 1:
        return wanted not in (-1, 1)
    return size is None and isinstance(wanted, int) and wanted not in (-1, 1)


def expanded(sizes: Sizes | None, wanted: Sequence[Size]) -> Sizes:
    """Sizes of `tensor.expand(*wanted)`."""
    old: Sizes = (None,) * len(wanted) if sizes is None else (None,) * (len(wanted) - len(sizes)) + tuple(sizes)
    return tuple(size if want == -1 else want for want, size in zip(wanted, old, strict=False))


def viewed(op: str, sizes: Sizes | None, arguments: Mapping[str, object]) -> Sizes | None:
    """Sizes of a view that gains or loses a dimension, or exchanges two; None if they are not known.

    Args:
        op: the name of the op, without that of its module.
    """
    rank = len(sizes) if sizes is not None else 0
    dims = [arguments.get(name) for name in (("dim0", "dim1") if op == "transpose" else ("dim",))]
    most = rank + (op == "unsqueeze")
    known = [dim % most for dim in dims if isinstance(dim, int) and -most <= dim < most]
    if sizes is None or op not in ("unsqueeze", "select", "transpose") or len(known) < len(dims):
        return None
    made = list(sizes)
    if op == "unsqueeze":
        made.insert(known[0], 1)
    elif op == "select":
        del made[known[0]]
    else:
        made[known[0]], made[known[1]] = made[known[1]], made[known[0]]
    return tuple(made)


def index(sizes: Sizes | None, taken: Subscript) -> Sizes | None:
    """Sizes after basic indexing."""
    if sizes is None or any(isinstance(cut, Rest) for cut in taken):
        return sizes if len(taken) == 1 else None
    rest = list(sizes)
    made: list[Size] = []
    for cut in taken:
        if isinstance(cut, NewAxis):
            made.append(1)
        elif not rest:
            return None
        else:
            size = rest.pop(0)
            made += [] if isinstance(cut, Position) else [_of_range(size, cut) if isinstance(cut, Range) else size]
    return (*made, *rest)


def _of_range(size: Size, taken: Range) -> int | None:
    """How much a slice takes of a dimension."""
    keys = (taken.lower, taken.upper, taken.step) if isinstance(size, int) else ()
    bounds = [bound for part in keys if isinstance(bound := number(part), int) or bound is None]
    if not isinstance(size, int) or len(bounds) != 3 or bounds[2] == 0:
        return None
    return len(range(size)[bounds[0] : bounds[1] : bounds[2]])
