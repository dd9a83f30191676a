"""Modules that write what has a history into their own memory: each training step goes on from the last graph."""

from __future__ import annotations

from inplace_lint.interpret.analysis.calling import called, frame_of
from inplace_lint.interpret.analysis.returning import train
from inplace_lint.interpret.state.asked import changed_by, used_in
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Class, Function, Instance, Ref, resolve
from inplace_lint.interpret.torch.module_tree import is_module
from inplace_lint.source.place import Site
from inplace_lint.torch_model.events import Backward, Write
from inplace_lint.torch_model.tensor import Tensor

# Methods by which memory loses its history.
_CUTTING = frozenset({"detach_", "data", "detach"})


def train_again(run: Run, function: Function, receiver: Ref | None) -> None:
    """Run backward after a call of `forward`, then a second call and its backward, if the first left a graph behind."""
    module = resolve(receiver.value) if receiver is not None else None
    first = run.returned
    if first is None or not isinstance(module, Instance) or not is_module(module) or function.code.name != "forward":
        return
    if not any(_keeps_graph(run, module, write) for write in run.torch.trace.writes_since(0)):
        return
    if any(isinstance(event, Backward) and (event.via != "return" or event.stale) for event in run.torch.trace.events):
        return  # It trains by itself, or goes wrong as it is.
    site = Site(function.module.path, function.code.span)
    train(run, first, site)
    second = called(run, frame_of(run, function), function, receiver, None)
    if second is not None:
        train(run, second, site)


def _keeps_graph(run: Run, module: Instance, write: Write) -> bool:
    """Whether a write gives a buffer of a module a history, which no other method cuts off."""
    if not write.grad_mode or write.is_refused or write.had_need or run.was_preparing(write.time):
        return False
    if not run.made_up(write.storage) or not any(each.tensor.need for each in write.others):
        return False
    for name, ref in module.held.items():
        tensor = resolve(ref.value)
        if isinstance(tensor, Tensor) and tensor.storage is write.storage and tensor.need:
            return isinstance(module.cls, Class) and not _is_cut(module.cls, name)
    return False


def _is_cut(cls: Class, name: str) -> bool:
    """Whether a method makes an attribute anew, or detaches it."""
    again = name in changed_by(cls, frozenset([name])).assigned
    return again or not _CUTTING.isdisjoint(used_in(cls, f"self.{name}"))
