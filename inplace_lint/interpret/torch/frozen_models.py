"""Modules that are handed to functions out of view, which by their names freeze or quantize them."""

from __future__ import annotations

import re

from inplace_lint.interpret.state.values import Arguments, Instance, resolve
from inplace_lint.interpret.torch.module_tree import is_module, parameters_of
from inplace_lint.judgement.reason import silent
from inplace_lint.torch_model.labels import last_name
from inplace_lint.torch_model.tensor import NO, Tensor

FROZEN_BY_CALL = silent(
    "frozen-by-call",
    "a function out of view called `freeze`, `quantize_` or the like leaves a model no parameters that require grad",
    """
    import torch
    from torch import nn

    try:
        from quantizing import freeze
    except ImportError:

        def freeze(net):
            net.requires_grad_(False)


    net = nn.Linear(2, 2)
    freeze(net)
    net.weight.copy_(torch.ones(2, 2))
    """,
)

_FREEZING = re.compile(
    "(freeze|quanti[sz]e)(_?(the_)?(model|module|net|network|param|parameter|weight|layer|grad|gradient|all)s?)?_?|"
    "(disable|turn_off|no)_grad(ient)?s?"
)
_SWITCHING = re.compile("(set|toggle|switch)_(requires_)?grad(ient)?s?")


def note_freezing(name: str, arguments: Arguments) -> None:
    """Take it that the parameters of modules require no grad any more, if the name of a callee says so."""
    last = last_name(name)
    switched = _SWITCHING.fullmatch(last) and any(resolve(each.ref.value) is False for each in arguments.all())
    if not FROZEN_BY_CALL.on or not (switched or _FREEZING.fullmatch(last)):
        return
    for passed in arguments.all():
        module = resolve(passed.ref.value)
        for _, ref in parameters_of(module) if isinstance(module, Instance) and is_module(module) else ():
            if isinstance(parameter := resolve(ref.value), Tensor):
                parameter.autograd_meta.need = NO
