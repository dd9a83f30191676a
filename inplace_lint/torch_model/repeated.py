"""Results of ops whose elements are very likely equal to each other: classes, bins, cells of a grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inplace_lint.torch_model.effects import Effects
from inplace_lint.torch_model.tensor import Tensor


def repeats(row: Effects, tensors: Sequence[Tensor], arguments: Mapping[str, object]) -> bool:
    """Whether several elements of a new result are very likely equal.

    What is computed of nothing but such tensors, element by element, is such a one, too.

    Args:
        tensors: what the op is given.
        arguments: all arguments, by name.
    """
    if row.repeats == "rows":
        return _leaves_rows(tensors[0], arguments.get("dim"))
    if row.repeats:
        return True
    if "bool" in row.dtypes:
        return False
    return row.shape == "broadcast" and bool(tensors) and all(tensor.storage.repeats for tensor in tensors)


def _leaves_rows(tensor: Tensor, dim: object) -> bool:
    """Whether there are several rows of which an op takes one dimension away."""
    return isinstance(dim, int) and (dim > 0 or (tensor.sizes is not None and len(tensor.sizes) > 1))
