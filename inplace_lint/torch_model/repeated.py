"""Results of ops whose elements are very likely equal to each other: classes, bins, cells of a grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inplace_lint.torch_model.effects import Effects
from inplace_lint.torch_model.tensor import Tensor


def repeats(row: Effects, tensors: Sequence[Tensor], arguments: Mapping[str, object]) -> bool | None:
    """Whether several elements of a new result are very likely equal; None if nothing tells.

    What is computed of nothing but such tensors, element by element, is such a one, too. No elements are equal of what
    is computed of one tensor of which none are.

    Args:
        tensors: what the op is given.
        arguments: all arguments, by name.
    """
    if row.repeats == "rows":
        return _leaves_rows(tensors[0], arguments.get("dim")) or None
    if row.repeats:
        return row.repeats != "never"
    if "bool" in row.dtypes:
        return None
    known = {tensor.storage.repeats for tensor in tensors}
    if len(known) != 1 or (row.shape != "broadcast" and len(tensors) > 1):
        return None
    return known.pop() if row.shape == "broadcast" or known == {False} else None


def _leaves_rows(tensor: Tensor, dim: object) -> bool:
    """Whether there are several rows of which an op takes one dimension away."""
    return isinstance(dim, int) and (dim > 0 or (tensor.sizes is not None and len(tensor.sizes) > 1))
