"""The names by which a program can reach some memory at the time of a write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Frame
from inplace_lint.torch_model.events import Bind, Write
from inplace_lint.torch_model.operands import Binding

_MOST = 6


def other_names(write: Write, run: Run) -> Iterator[str]:
    """How the program calls the written memory when it is written, other than what is written."""
    own = write.operand.binding.place if write.operand.binding is not None else None
    frames = {id(frame): frame for frame in (*run.past, *run.frames.values())}
    bindings = _bindings(write, run)
    bindings.pop(own, None)
    labels = [binding.label for binding in bindings.values() if _is_bound(binding, write, frames)]
    others = dict.fromkeys(label for label in labels if label and label != write.operand.text)
    yield from list(others)[:_MOST]


def _bindings(write: Write, run: Run) -> dict[object, Binding]:
    """By place, the bindings that got the memory, and no other tensor since."""
    bindings: dict[object, Binding] = {}
    for event in run.torch.trace.events:
        if event.time > write.time:
            break
        if isinstance(event, Bind):
            if event.tensor.storage is write.storage:
                bindings[event.binding.place] = event.binding
            else:
                bindings.pop(event.binding.place, None)
    return bindings


def _is_bound(binding: Binding, write: Write, frames: Mapping[int, Frame]) -> bool:
    """Whether a variable is still one, and has not got a value that is no tensor; of those deleted, none is.

    An attribute or element is taken to last.
    """
    if binding.kind in ("attribute", "element"):
        return True
    number, name = binding.place
    frame = frames.get(number) if isinstance(number, int) else None
    if frame is None or not _runs(frame, write):
        return False
    now = frame.variables.get(str(name))
    return now is not None and (now.binding is None or now.binding is binding or now.binding.bound_at > write.time)


def _runs(frame: Frame, write: Write) -> bool:
    """Whether the variables are those of a module or of a call that is running; those of comprehensions are not."""
    if frame.depth == 0:
        return frame.is_module or frame.code is not None
    return frame.began in write.calls
