"""The events of a whole run, as the interpreter would emit them for one path."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from inplace_lint.runtime.recorder.frames import Place
from inplace_lint.runtime.recorder.recorder import Listener
from inplace_lint.runtime.recorder.records import Change, Keep
from inplace_lint.runtime.recorder.saves import Node
from inplace_lint.runtime.recorder.story import Story, refused
from inplace_lint.torch_model.events import Trace
from inplace_lint.torch_model.messages import refusal
from inplace_lint.torch_model.tensor import Save


class EventLog(Listener):
    """Collects what a recorder tells of: for short programs, as it grows with the run.

    Attributes:
        trace: writes, refused ones too, and backward passes, in order. What a backward pass finds
            overwritten is for `Judge` to say.
        saves: what autograd kept, in order.
    """

    def __init__(self, entry: str) -> None:
        self.trace = Trace(entry)
        self.saves: list[Save] = []
        self._story = Story()

    def changed(self, change: Change, tensor: Tensor) -> None:
        """Note a write."""
        self.trace.events.append(self._story.write(change))

    def kept(self, keep: Keep, tensor: Tensor) -> None:
        """Note a save."""
        self.saves.append(self._story.save(keep))

    def refused(self, error: RuntimeError, op: str, place: Place, operands: Sequence[Tensor]) -> None:
        """Note a write that PyTorch refused."""
        kind = refusal(str(error))
        if kind is not None:
            self.trace.events += refused(kind, place.op(op), place, place.written(op, True), len(self.trace.events))

    def backward(self, roots: Sequence[Node], place: Place) -> None:
        """Note a backward pass."""
        self.trace.events.append(self._story.backward(place, len(self.trace.events), ()))
