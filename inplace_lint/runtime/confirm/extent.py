"""Which elements of its memory a tensor covers."""

from __future__ import annotations

from torch import Tensor


def view_of(memory: Tensor, tensor: Tensor, base: Tensor) -> Tensor:
    """What covers in `memory`, a copy of `base`, what `tensor` covers in `base`."""
    offset = tensor.storage_offset() - base.storage_offset() + memory.storage_offset()
    return memory.as_strided(tensor.size(), tensor.stride(), offset)


def extent(tensor: Tensor) -> tuple[object, ...]:
    """Which elements of its memory a tensor covers, in whatever shape."""
    strides = sorted((stride, size) for stride, size in zip(tensor.stride(), tensor.size(), strict=True) if size != 1)
    if tensor.is_contiguous():
        return (tensor.storage_offset(), tensor.numel())
    return (tensor.storage_offset(), *strides)


def dense(tensor: Tensor) -> bool:
    """Whether its elements fill their memory without gaps, each its own."""
    expected = 1
    for stride, size in sorted((stride, size) for stride, size in zip(tensor.stride(), tensor.size(), strict=True)):
        if size == 1:
            continue
        if stride != expected:
            return False
        expected *= size
    return True


def overlaps(tensor: Tensor) -> bool:
    """Whether several of its elements are one place in memory."""
    return any(stride == 0 and size > 1 for stride, size in zip(tensor.stride(), tensor.size(), strict=True))
