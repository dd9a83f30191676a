"""Modes of the abstract PyTorch that hold for a while: whoever switches one does it here, so that it is put back."""

from __future__ import annotations

from inplace_lint.torch_model.machine import Machine


class modes:  # noqa: N801
    """A block in which modes are switched; as it ends, all are as before, also where an exception passes.

    Args:
        torch: whose modes.
        grad: whether ops are recorded for backward, from the beginning of the block on; None leaves it.
    """

    def __init__(self, torch: Machine, grad: bool | None = None) -> None:
        self._torch = torch
        self._grad_mode, self._inference, self._unchecked = torch.grad_mode, torch.inference, torch.unchecked
        self._declared, self._mapped = torch.declared, torch.mapped
        if grad is not None:
            torch.grad_mode = grad

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        torch = self._torch
        torch.grad_mode, torch.inference, torch.unchecked = self._grad_mode, self._inference, self._unchecked
        torch.declared, torch.mapped = self._declared, self._mapped
