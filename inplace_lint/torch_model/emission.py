"""Completes the writes in a block before they are emitted and final."""

from __future__ import annotations

from collections.abc import Callable

from inplace_lint.torch_model.events import Write
from inplace_lint.torch_model.machine import Machine


class emitting:  # noqa: N801
    """A block in which a function completes each write before it is emitted; that of the innermost block comes first.

    Args:
        torch: what emits.
        complete: is given each write.
    """

    def __init__(self, torch: Machine, complete: Callable[[Write], None]) -> None:
        self._torch, self._outside = torch, torch.completing
        torch.completing = (complete, *torch.completing)

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        self._torch.completing = self._outside
