"""What a call tells of the tensors that it passes, and those of the function that it calls."""

from __future__ import annotations

from inplace_lint.interpret.state.plain_data import take_for_data
from inplace_lint.interpret.state.purpose import embeds_steps
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Arguments, Function, resolve
from inplace_lint.torch_model.tensor import Tensor


def note_passed(run: Run, function: Function, arguments: Arguments) -> None:
    """Note what the call of a function tells of the tensors that it is given."""
    values = [resolve(passed.ref.value) for passed in arguments.all()]
    tensors = [value for value in values if isinstance(value, Tensor)]
    if any(tensor.autograd_meta.cut for tensor in tensors) and not any(tensor.need for tensor in tensors):
        run.given_cut.add(function.code)
    if embeds_steps(function.code.name, function.owner.code if function.owner is not None else None):
        for value in values:
            take_for_data(value)
