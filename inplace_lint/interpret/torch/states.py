"""States of modules, `state_dict()`: what is changed in them is changed in the modules themselves."""

from __future__ import annotations

from inplace_lint.effort import STEP
from inplace_lint.interpret.state.run import Run
from inplace_lint.torch_model.operands import Binding
from inplace_lint.torch_model.tensor import Tensor


def note_loaded(run: Run, entry: Binding | None, tensor: Tensor) -> None:
    """Another module is given what was changed in the state of this one: it was taken for a state of its own."""
    if entry is None or entry.keeper != "state_dict":
        return
    run.torch.trace.effort.spend(STEP * len(tensor.storage.writes))
    for write, _, _ in tensor.storage.writes:
        if write.operand.binding is not None and write.operand.binding.place == entry.place:
            write.note("loaded")
