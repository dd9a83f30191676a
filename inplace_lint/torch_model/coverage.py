"""Which tensors a write surely changes: parts of one memory that cover each other."""

from __future__ import annotations

from inplace_lint.torch_model.regions import apart, extent, meet
from inplace_lint.torch_model.tensor import Tensor


def within(part: Tensor, whole: Tensor) -> bool:
    """Whether a write to `whole` surely changes all of `part`."""
    return part is whole or (whole.region is not None and part.storage is whole.storage and covers(whole, part))


def includes(whole: Tensor, part: Tensor) -> bool:
    """Whether one tensor surely shows all that another one of its memory shows."""
    all_of, some = extent(whole.region), extent(part.region)
    return whole is part or (all_of is not None and some is not None and some[: len(all_of)] == all_of)


def covers(whole: Tensor, part: Tensor) -> bool:
    """Whether a write to `part` surely changes `whole`."""
    if part.is_empty:
        return False
    all_of, some = extent(whole.region), extent(part.region)
    if whole is part or all_of == ():
        return True
    if all_of is None or some is None or apart(whole.region, part.region):
        return False
    return some[: len(all_of)] == all_of or meet(all_of, some)
