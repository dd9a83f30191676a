"""Attributes of an object that is made up, which other methods than its constructor set."""

from __future__ import annotations

from inplace_lint.interpret.state.asked import parameter_made
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Instance
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
