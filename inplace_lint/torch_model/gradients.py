"""The `.grad` of leaves: where it is kept, and what writes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inplace_lint.diagnostic import Site
from inplace_lint.torch_model.events import Operand, Slot
from inplace_lint.torch_model.tensor import NO, Family

if TYPE_CHECKING:
    from inplace_lint.torch_model.machine import Machine


def gradient_place(family: Family) -> tuple[int, str]:
    """What identifies the place of a leaf's `.grad`."""
    return id(family), "grad"


def gradient_slot(family: Family) -> Slot | None:
    """The place of a leaf's `.grad`; None if nobody has looked at it."""
    grad = family.grad
    if grad is None:
        return None
    if family.grad_slot is not None and family.grad_slot.bound_at >= grad.storage.made_at:
        return family.grad_slot
    slot = Slot(gradient_place(family), grad.label, "attribute", grad.storage.made_at, region=grad.region)
    slot.detached = grad.hides is not None
    return slot


def write_gradient(torch: Machine, family: Family, op: str, site: Site) -> None:
    """A library function modifies the gradient of a leaf, if somebody has a hold of it."""
    if family.grad is not None:
        written = Operand(family.grad, site, gradient_slot(family), torch.clock, family.grad.label)
        torch.write(written, op, site, NO, filler=op == "zero_grad").use = "statement"
