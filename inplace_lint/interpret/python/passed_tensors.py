"""What a call tells of the tensors that it passes, and those of the function that it calls."""

from __future__ import annotations

from inplace_lint.findings.given import add_given
from inplace_lint.interpret.state.naming import names_loss
from inplace_lint.interpret.state.plain_data import take_for_data
from inplace_lint.interpret.state.purpose import embeds_steps
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Arguments, Function, Ref, resolve
from inplace_lint.source.place import Site
from inplace_lint.torch_model.tensor import Tensor, parameters_in


def note_passed(run: Run, function: Function, arguments: Arguments) -> None:
    """Note what the call of a function tells of the tensors that it is given."""
    values = [resolve(passed.ref.value) for passed in arguments.all()]
    tensors = [value for value in values if isinstance(value, Tensor)]
    if any(tensor.autograd_meta.cut for tensor in tensors) and not any(tensor.need for tensor in tensors):
        run.given_cut.add(function.code)
    if embeds_steps(function.code.name, function.owner.code if function.owner is not None else None):
        for value in values:
            take_for_data(value)


def note_given(run: Run, function: Function, parameter: Site, ref: Ref) -> None:
    """Note whether a parameter is given a tensor that may require grad; what is not known to be one tells nothing.

    Nor does what a loss is tried on: what it is given requires grad.
    """
    value = resolve(ref.value)
    owner = function.owner.code.name if function.owner is not None else ""
    if isinstance(value, Tensor) and not names_loss(function.code.name, owner):
        needing = (parameters_in(value.need.assumptions) or None) if value.need else frozenset[Site]()
        add_given(run.given, [(parameter, needing)])
