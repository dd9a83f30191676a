"""A callback for the Trainer of Hugging Face: `Trainer(..., callbacks=[WatchCallback()])`."""

from __future__ import annotations

from typing import Any

from transformers import TrainerCallback

from inplace_lint.integrations.steps import Steps


class WatchCallback(TrainerCallback):
    """Records training steps: forward, backward and the step of the optimizer.

    The Trainer tells its callbacks of no error. After one, the recording goes on until the next training
    begins, or until `on_train_end()` is called by hand.

    Args:
        strict: raise where a write would silently make a gradient wrong.
        steps: how many steps to watch; all if None.
    """

    def __init__(self, *, strict: bool = False, steps: int | None = None) -> None:
        self._steps = Steps(strict, steps)

    def on_train_begin(self, *_: Any, **__: Any) -> None:
        """End the step in which a training before this one raised."""
        self._steps.end()

    def on_step_begin(self, *_: Any, **__: Any) -> None:
        """Begin to record."""
        self._steps.begin()

    def on_step_end(self, *_: Any, **__: Any) -> None:
        """Tell what was found."""
        self._steps.end()

    def on_train_end(self, *_: Any, **__: Any) -> None:
        """End with the training, if it stopped inside a step."""
        self._steps.end()
