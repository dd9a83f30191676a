"""Why PyTorch refuses at once to write a tensor."""

from __future__ import annotations

from collections.abc import Iterable

from inplace_lint.torch_model import layout
from inplace_lint.torch_model.events import Operand, Refusal, Refused
from inplace_lint.torch_model.regions import crossed, shifted
from inplace_lint.torch_model.tensor import Need, Tensor


def refused_by_kernel(tensor: Tensor, op: str, inference: bool) -> Refusal | None:
    """What the op itself refuses: memory that overlaps itself, or that inference mode made.

    Args:
        inference: whether inference mode is on.
    """
    if tensor.array:
        return None  # NumPy writes what it likes.
    if tensor.expanded and layout.checks_overlap(op):
        return Refusal("expanded", "certain", (), tensor.made_site)
    if tensor.inference and not inference:
        return Refusal("inference", "certain", (), tensor.made_site)
    return None


def overlap(target: Tensor, source: Tensor) -> bool:
    """Whether two views of one tensor surely overlap without being the same (`assert_no_overlap` in ATen)."""
    if target.storage is not source.storage or target.region is None or source.region is None or target.array:
        return False  # NumPy copies first.
    return shifted(target.region, source.region) or crossed(target.region, source.region)


def refused_by_overlap(tensor: Tensor, op: str, others: Iterable[Operand]) -> Refusal | None:
    """What an op refuses that reads memory which it overwrites in part."""
    if layout.checks_source(op) and any(overlap(tensor, other.tensor) for other in others):
        return Refusal("overlap", "certain")
    return None


def refused_by_autograd(tensor: Tensor, need: Need, grad_mode: bool) -> Refusal | None:
    """What autograd refuses (`check_inplace` in torch/csrc/autograd/VariableTypeUtils.h).

    Args:
        need: whether the op is recorded.
        grad_mode: whether gradients are recorded at all.
    """
    if not (grad_mode and need):
        return None
    kind: Refused | None = None
    if tensor.view == "multi":
        kind = "multi-view"
    elif tensor.view == "hooked":
        kind = "hooked"
    elif tensor.view == "custom":
        kind = "custom-view"
    elif tensor.view in ("no_grad", "inference"):
        kind = "no-grad-view"
    elif tensor.is_leaf and tensor.need:
        kind, need = ("leaf" if tensor.view == "base" else "leaf-view"), tensor.need
    elif tensor.view == "view" and tensor.own is None and tensor.need:
        kind, need = "leaf", tensor.need  # The base got its history through another view.
    if kind is None:
        return None
    certain = need.certain and tensor.certain
    return Refusal(kind, "certain" if certain else "assumed", need.assumptions, tensor.made_site)
