"""Why PyTorch refuses at once to write a tensor."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from inplace_lint.torch_model.events import Refusal, Refused, Write
from inplace_lint.torch_model.op_names import SETITEM, copies
from inplace_lint.torch_model.operands import Operand
from inplace_lint.torch_model.regions import Region, crossed, first_column, row, shifted, shifted_up
from inplace_lint.torch_model.sizes import numbers
from inplace_lint.torch_model.tensor import RequiresGrad, Tensor, ViewKind


def refused_by_kernel(tensor: Tensor, inference: bool, unchecked: bool = False) -> Refusal | None:
    """What the op itself refuses: memory that overlaps itself, or that inference mode made.

    Args:
        inference: whether inference mode is on.
        unchecked: whether the op takes memory that overlaps itself.
    """
    if tensor.array:
        return None  # NumPy writes what it likes.
    if tensor.expanded and not unchecked:
        return Refusal("expanded", "certain", (), tensor.origin)
    if tensor.expanded_if and not unchecked:
        return Refusal("expanded", "assumed", tensor.expanded_if, tensor.origin)
    if tensor.inference and not inference:
        return Refusal("inference", "certain", (), tensor.origin)
    return None


def overlap(target: Tensor, source: Tensor) -> bool:
    """Whether two views of one tensor surely overlap without being the same (`assert_no_overlap` in ATen)."""
    if target.storage is not source.storage or target.region is None or source.region is None or target.array:
        return False  # NumPy copies first.
    sizes = (numbers(target.sizes), numbers(source.sizes))
    return shifted(target.region, source.region, sizes) or crossed(target.region, source.region)


def judge_sources(write: Write, others: Iterable[Operand]) -> None:
    """What comes of it if an op reads memory that it overwrites in part: `others` are operands that it checks.

    PyTorch refuses what it notices: only blocks of memory are compared (`get_overlap_status` in
    ATen/MemoryOverlap.cpp). Otherwise elements are written from the first to the last: what is moved to higher
    places is lost, and a first column is taken from itself before it is taken from others.
    """
    target, op = write.operand.tensor, write.op
    if write.refusal is not None:
        return
    for source in (other.tensor for other in others):
        # `x[:] = x[0]` first expands the row, and `copy_` then does not look.
        if overlap(target, source) or (op != SETITEM and _is_part(source, target, row)):
            write.refusal = Refusal("overlap", "certain")
        elif _is_moved_up(target, source) or (not _copies(op) and _is_part(source, target, first_column)):
            write.marked |= {"torn"}


def _is_moved_up(target: Tensor, source: Tensor) -> bool:
    """Whether a view is another one of the same tensor, moved up by less than its size."""
    return _is_part(target, source, lambda a, b: shifted_up(a, b, numbers(source.sizes)))


def _copies(op: str) -> bool:
    return op == SETITEM or copies(op)


def _is_part(part: Tensor, whole: Tensor, how: Callable[[Region, Region], bool]) -> bool:
    """Whether two views of one tensor have to do with each other in some way."""
    same = part.storage is whole.storage and not part.array
    return same and part.region is not None and whole.region is not None and how(part.region, whole.region)


# The views that autograd lets nobody write while it records.
_REFUSED_VIEWS: dict[ViewKind, Refused] = {
    "multi": "multi-view",
    "hooked": "hooked",
    "custom": "custom-view",
    "no_grad": "no-grad-view",
    "inference": "no-grad-view",
}


def refused_by_autograd(tensor: Tensor, need: RequiresGrad, grad_mode: bool) -> Refusal | None:
    """What autograd refuses (`check_inplace` in torch/csrc/autograd/VariableTypeUtils.h).

    Args:
        need: whether the op is recorded.
        grad_mode: whether gradients are recorded at all.
    """
    if not (grad_mode and need):
        return None
    kind = _REFUSED_VIEWS.get(tensor.view)
    if kind is None and tensor.need:
        kind, need = _refused_as_leaf(tensor), tensor.need
    if kind is None:
        return None
    certain = need.certain and tensor.certain
    return Refusal(kind, "certain" if certain else "assumed", need.assumptions, tensor.origin)


def _refused_as_leaf(tensor: Tensor) -> Refused | None:
    if tensor.is_leaf:
        return "leaf" if tensor.view == "base" else "leaf-view"
    # The base got its history through another view.
    return "leaf" if tensor.view == "view" and tensor.own is None else None
