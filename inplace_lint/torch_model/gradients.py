"""The `.grad` of leaves: where it is kept."""

from __future__ import annotations

from inplace_lint.source.place import Site
from inplace_lint.torch_model.operands import Binding, Operand
from inplace_lint.torch_model.tensor import AutogradMeta


def gradient_place(meta: AutogradMeta) -> tuple[int, str]:
    """What identifies the place of a leaf's `.grad`."""
    return id(meta), "grad"


def gradient_binding(meta: AutogradMeta) -> Binding | None:
    """The place of a leaf's `.grad`; None if nobody has looked at it."""
    grad = meta.grad
    if grad is None:
        return None
    if meta.grad_binding is not None and meta.grad_binding.bound_at >= grad.storage.made_at:
        return meta.grad_binding
    binding = Binding(gradient_place(meta), grad.label, "attribute", grad.storage.made_at, region=grad.region)
    binding.detached, binding.keeper = grad.detached_from is not None, "gradient"
    return binding


def gradient_operand(meta: AutogradMeta, site: Site, time: int) -> Operand | None:
    """The `.grad` of a leaf, as what writes it receives it; None if nobody has looked at it."""
    if meta.grad is None:
        return None
    return Operand(meta.grad, site, gradient_binding(meta), time, meta.grad.label)
