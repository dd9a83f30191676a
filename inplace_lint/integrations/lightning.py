"""A callback for Lightning: `Trainer(callbacks=[WatchCallback()])`."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from inplace_lint.integrations.steps import Steps

if find_spec("lightning") is not None:
    from lightning.pytorch import Callback
else:  # the older name of the same library
    from pytorch_lightning import Callback


class WatchCallback(Callback):
    """Records training batches: forward, backward and the step of the optimizer.

    Args:
        strict: raise where a write would silently make a gradient wrong.
        steps: how many batches to watch; all if None.
    """

    def __init__(self, *, strict: bool = False, steps: int | None = None) -> None:
        self._steps = Steps(strict, steps)

    def on_train_batch_start(self, *_: Any, **__: Any) -> None:
        """Begin to record."""
        self._steps.begin()

    def on_train_batch_end(self, *_: Any, **__: Any) -> None:
        """Tell what was found."""
        self._steps.end()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """End with the batch that raised."""
        self._steps.end(exception)
