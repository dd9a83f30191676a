"""The `.grad` of leaves: where it is kept."""

from __future__ import annotations

from inplace_lint.source.place import Site
from inplace_lint.torch_model.operands import Binding, Operand
from inplace_lint.torch_model.tensor import AutogradMeta


def gradient_place(family: AutogradMeta) -> tuple[int, str]:
    """What identifies the place of a leaf's `.grad`."""
    return id(family), "grad"


def gradient_binding(family: AutogradMeta) -> Binding | None:
    """The place of a leaf's `.grad`; None if nobody has looked at it."""
    grad = family.grad
    if grad is None:
        return None
    if family.grad_binding is not None and family.grad_binding.bound_at >= grad.storage.made_at:
        return family.grad_binding
    binding = Binding(gradient_place(family), grad.label, "attribute", grad.storage.made_at, region=grad.region)
    binding.detached, binding.keeper = grad.detached_from is not None, "gradient"
    return binding


def gradient_operand(family: AutogradMeta, site: Site, time: int) -> Operand | None:
    """The `.grad` of a leaf, as what writes it receives it; None if nobody has looked at it."""
    if family.grad is None:
        return None
    return Operand(family.grad, site, gradient_binding(family), time, family.grad.label)
