"""einops: which of its functions give views, and which save what they are given.

A pattern that only splits and permutes axes copies nothing. One that merges neighbours, in their order, is a `reshape`,
which copies where it must; what merges others is taken for a copy.
"""

import torch

from inplace_lint.intrinsics import as_tensor, is_constant, surely, unknown, view_of


def rearrange(tensor, pattern, **axes_lengths):
    return _arranged(_one(tensor), pattern, False)


def repeat(tensor, pattern, **axes_lengths):
    return _arranged(_one(tensor), pattern, _repeats(pattern, axes_lengths))


def reduce(tensor, pattern, reduction, **axes_lengths):
    tensor = _one(tensor)
    if is_constant(reduction) and reduction in ("max", "min"):
        return tensor.amax(-1)
    if is_constant(reduction) and reduction == "prod":
        return tensor.prod(-1)
    return tensor.clone()


def einsum(*tensors_and_pattern):
    *tensors, pattern = tensors_and_pattern
    return torch.einsum(pattern, *tensors)


def pack(tensors, pattern):
    return torch.cat(tensors), unknown()


def unpack(tensor, packed_shapes, pattern):
    return [view_of(tensor) for _ in packed_shapes]


def _one(tensor):
    """A list of tensors becomes one."""
    tensor = as_tensor(tensor)
    return torch.stack(tensor) if isinstance(tensor, (list, tuple)) else tensor


def _arranged(tensor, pattern, expanded):
    if _only_splits(pattern):
        return view_of(tensor, expanded, whole=True)
    if _keeps_order(pattern):
        return tensor.reshape(unknown())
    return view_of(tensor.reshape(unknown()), whole=True) if _merges_neighbours(pattern) else tensor.clone()


def _only_splits(pattern):
    """Whether no group of axes on the right has several; `(...)` may be several."""
    if not is_constant(pattern):
        return False
    groups = [rest.split(")")[0] for rest in pattern.split("->")[-1].split("(")[1:]]
    return all(len(group.split()) < 2 and "..." not in group for group in groups)


def _keeps_order(pattern):
    """Whether the axes stand on both sides in one order."""
    if not is_constant(pattern):
        return False
    left, right = [side.replace("(", " ").replace(")", " ").split() for side in pattern.split("->")]
    return len(left) == len(right) and all(ours == theirs for ours, theirs in zip(left, right, strict=True))


def _merges_neighbours(pattern):
    """Whether the axes of each group on the right stand beside one another on the left, in that order."""
    if not is_constant(pattern) or "..." in pattern:
        return False
    left, right = pattern.split("->")
    axes = " ".join(left.replace("(", " ").replace(")", " ").split())
    groups = [rest.split(")")[0].split() for rest in right.split("(")[1:]]
    return all(f" {' '.join(group)} " in f" {axes} " for group in groups)


def _repeats(pattern, axes_lengths):
    """Whether a pattern has a new axis that is not known to be one long: that is an `expand`."""
    if not is_constant(pattern):
        return False
    left, right = [side.replace("(", " ").replace(")", " ").split() for side in pattern.split("->")]
    return any(not surely(axes_lengths.get(axis) == 1) for axis in right if axis != "1" and axis not in left)
