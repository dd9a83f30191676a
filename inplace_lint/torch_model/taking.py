"""The layout of views that take positions out of a tensor, some dimensions of which may be expanded."""

from __future__ import annotations

from collections.abc import Sequence

from inplace_lint.torch_model.subscript import Full, IndexPart, Position, Range
from inplace_lint.torch_model.tensor import Tensor


def take_row(row: Tensor, of: Tensor) -> None:
    """Propagate layout facts of `of` to its new view `row`, if that is one part along the first dimension."""
    row.sizes = of.sizes[1:] if of.sizes else None
    if of.expanded:
        row.broadcast_dims = of.broadcast_dims[1:] if of.broadcast_dims else None
        row.expanded, row.rows_shared = any(row.broadcast_dims or ()), True
        row.dense_if_unexpanded = of.dense_if_unexpanded
        if row.broadcast_dims is not None:
            row.contiguous = of.dense_if_unexpanded if not row.expanded else False


# The parts that surely stand for one dimension each.
OF_ONE_DIMENSION = (Position, Range, Full)


def take_part(part: Tensor, of: Tensor, cuts: Sequence[IndexPart]) -> None:
    """The same for a view that a subscript of several parts takes."""
    if not of.expanded:
        return
    repeats = of.broadcast_dims
    if repeats is None or len(cuts) > len(repeats) or not all(isinstance(cut, OF_ONE_DIMENSION) for cut in cuts):
        if any(isinstance(cut, Position) for cut in cuts):  # Either it fails, or others change as well.
            part.expanded, part.rows_shared = False, True
        return
    taken = [isinstance(cut, Position) for cut in cuts] + [False] * (len(repeats) - len(cuts))
    part.broadcast_dims = tuple([repeated for repeated, one in zip(repeats, taken, strict=True) if not one])
    part.rows_shared = any(repeated and one for repeated, one in zip(repeats, taken, strict=True))
    part.expanded = any(part.broadcast_dims)
