"""Attributes of an object that is made up, which other methods than its constructor set."""

from __future__ import annotations

from inplace_lint.interpret.state.asked import changed_by, parameter_made
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.tensors_within import tensors_of
from inplace_lint.interpret.state.values import Class, Instance, resolve
from inplace_lint.torch_model.tensor import YES, AutogradMeta, Tensor


def parameter(run: Run, instance: Instance, name: str) -> Tensor | None:
    """The parameter that an attribute holds once a method has made it (`build`, `update_layer`)."""
    if not instance.guess or isinstance(instance.cls, str) or run.frame.module.library:
        return None
    site = parameter_made(instance.cls, name)
    if site is None:
        return None
    made = run.torch.tensor(site)
    made.autograd_meta = AutogradMeta(YES, parameter=True, site=site)
    made.external = True
    return made


def note_filled(instance: Instance, name: str) -> None:
    """Have what a constructor gives an attribute hold values, if other methods put them there: time has passed."""
    ref = instance.held.get(name)
    if ref is None or not isinstance(instance.cls, Class):
        return
    tensors = [value for each, _ in tensors_of(ref.value) if isinstance(value := resolve(each.value), Tensor)]
    blank = [each for each in tensors if each.storage.filling and not each.storage.writes]
    if blank and name in changed_by(instance.cls, frozenset([name])).filled:
        for each in blank:
            each.storage.filling, each.storage.start = "", ""
