"""What is done with the attributes that a constructor has chosen: another object may have another layer there."""

from __future__ import annotations

from collections.abc import Iterable
from types import NoneType

from inplace_lint.interpret.state.beneath import items_in
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Ref, resolve
from inplace_lint.torch_model.operands import Binding
from inplace_lint.torch_model.tensor import Tensor


def note(run: Run, called: Binding, refs: Iterable[Ref]) -> None:
    """Note what an attribute of the object that a method is run on was called with, and what it gave."""
    if run.oracle.preparing or not run.was_preparing(called.bound_at):
        return
    for ref in [each for given in refs for each in (given, *items_in(resolve(given.value)))]:
        if isinstance(tensor := resolve(ref.value), Tensor):
            run.oracle.through.setdefault(tensor.storage, set()).add(called.label.rpartition(".")[2])


def want_others(run: Run) -> None:
    """Ask for objects with another layer where that may save what is written, before or after."""
    for write in run.torch.trace.writes_since(0) if run.oracle.through else ():
        names = run.oracle.through.get(write.storage)
        if names is not None and not run.was_preparing(write.time):
            run.oracle.wanted.update(names)


def want_tensor(run: Run, written: Ref) -> None:
    """Ask for objects with a tensor where this one has a number, or nothing, that is written in place."""
    binding = written.binding
    no_tensor = isinstance(resolve(written.value), (int, float, NoneType))
    chosen = binding is not None and binding.kind == "attribute" and run.was_preparing(binding.bound_at)
    if binding is not None and no_tensor and chosen and not run.oracle.preparing:
        run.oracle.wanted.add(binding.label.rpartition(".")[2])
