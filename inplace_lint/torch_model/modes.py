"""Modes of the abstract PyTorch that hold for a while: they are switched only here, so that each is restored."""

from __future__ import annotations

from dataclasses import dataclass

from inplace_lint.torch_model.machine import Machine
from inplace_lint.torch_model.tensor import Storage


@dataclass(frozen=True, slots=True)
class GradMode:
    """What a context or decorator switches.

    Args:
        grad: whether ops are recorded for backward; None leaves it.
        inference: whether tensors are made for inference only; None leaves it.
        unchecked: saved tensors go through hooks, so that nothing looks at their versions.
    """

    grad: bool | None = None
    inference: bool | None = None
    unchecked: bool = False

    def reversed(self) -> GradMode:
        """What leaving it switches, where that is a call of its own."""
        return GradMode(None if self.grad is None else not self.grad, False if self.inference else None)


UNCHANGED = GradMode()
NO_GRAD = GradMode(grad=False)
ENABLE_GRAD = GradMode(grad=True)
INFERENCE = GradMode(grad=False, inference=True)
# It ends both what an inference mode and what `no_grad` around it has begun.
NO_INFERENCE = GradMode(grad=True, inference=False)
UNCHECKED = GradMode(unchecked=True)

_MODULES = ("torch", "torch.autograd", "torch.autograd.grad_mode")
_SWITCHES = {
    "no_grad": (NO_GRAD, NO_GRAD),
    "enable_grad": (ENABLE_GRAD, ENABLE_GRAD),
    "inference_mode": (INFERENCE, NO_INFERENCE),
    "set_grad_enabled": (ENABLE_GRAD, NO_GRAD),
}

# The last words of their names; those under which no gradients are recorded, and under which they are in any case.
GRAD_MODE_NAMES = frozenset(_SWITCHES)
WITHOUT_GRADIENTS = frozenset(name for name, (switched, _) in _SWITCHES.items() if switched.grad is False)
WITH_GRADIENTS = frozenset(name for name, modes in _SWITCHES.items() if all(mode is ENABLE_GRAD for mode in modes))

# By qualified name: the mode of `torch.no_grad` and its like, called with True or nothing, and with False.
GRAD_MODES: dict[str, tuple[GradMode, GradMode]] = {
    f"{module}.{name}": switched for module in _MODULES for name, switched in _SWITCHES.items()
}
# A step of an optimizer is recorded only if that is `differentiable` (torch/optim/optimizer.py).
NOT_DIFFERENTIABLE = "torch.optim.optimizer._use_grad_for_differentiable"

# Those of them that take effect as they are called.
SWITCHES: tuple[str, ...] = tuple(f"{module}.set_grad_enabled" for module in _MODULES)


def switch(torch: Machine, mode: GradMode) -> None:
    """Switch to a mode until whoever is outside switches back."""
    torch.grad_mode = torch.grad_mode if mode.grad is None else mode.grad
    torch.inference = torch.inference if mode.inference is None else mode.inference
    torch.unchecked = torch.unchecked or mode.unchecked


def map_over(torch: Machine, memory: set[Storage] | None) -> None:
    """Let `vmap` map over some memory, until the block around it ends; None if it is not clear over which."""
    torch.mapped = memory


class modes:  # noqa: N801
    """A block in which modes are switched; as it ends, all are as before, also where an exception passes.

    Args:
        torch: whose modes.
        grad: whether ops are recorded for backward, from the beginning of the block on; None leaves it.
        inference: whether tensors are made for inference only; None leaves it.
        documented: whether the writes in the block are declared by who asks for them; None leaves it.
    """

    def __init__(
        self,
        torch: Machine,
        grad: bool | None = None,
        inference: bool | None = None,
        documented: bool | None = None,
    ) -> None:
        self._torch = torch
        self._grad_mode, self._inference, self._unchecked = torch.grad_mode, torch.inference, torch.unchecked
        self._documented, self._mapped = torch.documented, torch.mapped
        switch(torch, GradMode(grad, inference))
        torch.documented = torch.documented if documented is None else documented

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        torch = self._torch
        torch.grad_mode, torch.inference, torch.unchecked = self._grad_mode, self._inference, self._unchecked
        torch.documented, torch.mapped = self._documented, self._mapped
