"""Runs a call once more with some of its tensors varied: other values, another dtype, other memory."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace

import torch
from torch.utils._pytree import tree_flatten, tree_map_only

from inplace_lint.runtime.op_table.observe import Call
from inplace_lint.runtime.op_table.samples import seed
from inplace_lint.torch_model.effects import Effects

Change = Callable[[str, torch.Tensor], torch.Tensor]

_SHAPES = ((3, 3), (), (3,), (2, 3, 4))

REFUSED = object()
"""PyTorch does not write, or read, memory that overlaps like this."""

FAILED = object()
"""The op does not take these arguments."""


def copied(name: str, tensor: torch.Tensor) -> torch.Tensor:
    """The same values in memory of their own: what runs must not change the sample."""
    return tensor.detach().clone(memory_format=torch.contiguous_format)


def run(call: Call, change: Change = copied, start: int = 0) -> object:
    """What the call returns with its tensors changed, `REFUSED`, or `FAILED`.

    Args:
        start: what the random numbers start from.
    """
    changed = mapped(call, change)
    seed(start)
    try:
        with torch.no_grad():
            return call.function(*changed.args, **changed.kwargs)
    except Exception as error:  # an op refuses arguments in many ways
        return REFUSED if "single memory location" in str(error) else FAILED


def mapped(call: Call, change: Change) -> Call:
    """The call with its tensors changed."""
    args = [_changed(name, value, change) for name, value in zip(call.names, call.args, strict=True)]
    return replace(call, args=tuple(args), kwargs={n: _changed(n, value, change) for n, value in call.kwargs.items()})


def _changed(name: str, value: object, change: Change) -> object:
    return tree_map_only(torch.Tensor, lambda tensor: change(name, tensor), value)


def tensors(call: Call) -> list[tuple[str, torch.Tensor]]:
    """The tensors that the call is given, by parameter."""
    values: Mapping[str, object] = {**dict(zip(call.names, call.args, strict=True)), **call.kwargs}
    return [(name, t) for name, value in values.items() for t in tree_flatten(value)[0] if isinstance(t, torch.Tensor)]


def given(call: Call, name: str) -> object:
    """What an argument is, or would be if it is left out."""
    values = {**dict(zip(call.names, call.args, strict=True)), **call.kwargs}
    if name in values:
        return values[name]
    try:
        return inspect.signature(call.function).parameters[name].default
    except (KeyError, TypeError, ValueError):
        return None


def written(effects: Effects) -> list[str]:
    """The parameters that are written whether or not there is an `out`."""
    return [name for name in effects.writes if name != "out"]


def results(value: object) -> list[torch.Tensor]:
    """The tensors among what a call returned, but for sparse ones."""
    return [t for t in tree_flatten(value)[0] if isinstance(t, torch.Tensor) and t.layout is torch.strided]


def on_plain_tensors(call: Call, effects: Effects) -> list[Call]:
    """The same op on tensors of several shapes, and nothing else, if it needs nothing else."""
    required = [param for param in effects.params if not param.optional]
    if not required or len(required) > 2 or any(param.kind != "tensor" for param in required):
        return []
    names = tuple(param.name for param in required)
    seed()
    return [Call(call.function, tuple(torch.rand(shape) for _ in names), {}, names, call.owned) for shape in _SHAPES]
