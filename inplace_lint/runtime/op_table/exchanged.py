"""Whether an op keeps for backward a view of a tensor, which keeps its memory when the tensor is given other memory."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from inplace_lint.runtime.op_table.observe import Call
from inplace_lint.runtime.op_table.samples import seed
from inplace_lint.runtime.op_table.varied import copied, mapped, results, written
from inplace_lint.torch_model.effects import Effects, SaveSpec

_FEW = 4

Gradients = list["torch.Tensor | None"]


def is_kept_as_view(calls: Sequence[Call], effects: Effects, save: SaveSpec) -> bool:
    """Whether, mostly, the gradients stay as they were after `tensor.data = other` for a saved tensor."""
    if save.clone or save.result is not None or written(effects):
        return False
    votes = [vote for call in calls[:_FEW] if (vote := _stays(call, save.what)) is not None]
    return bool(votes) and sum(votes) * 2 >= len(votes)


def _stays(call: Call, name: str) -> bool | None:
    """None if the gradients do not show it: they are the same for any values."""
    try:
        first, before = _gradients(call, name, None), _gradients(call, name, "before")
        after = _gradients(call, name, "after")
    except Exception:  # not everything takes tensors that all require grad
        return None
    return None if _equal(first, before) else _equal(first, after)


def _gradients(call: Call, name: str, exchange: str | None) -> Gradients:
    """The gradients of an op that had its argument's memory exchanged before it ran, after it ran, or not at all."""
    leaves: list[tuple[str, torch.Tensor]] = [(n, t) for n, t in call.owned if t.requires_grad or t.is_floating_point()]

    def leaf(given: str, tensor: torch.Tensor) -> torch.Tensor:
        tensor = copied(given, tensor)
        if tensor.is_floating_point() or tensor.is_complex():
            leaves.append((given, tensor.requires_grad_()))
        return tensor

    changed = mapped(call, leaf)
    ours = [tensor for given, tensor in leaves if given == name]
    memory = [tensor.data for tensor in ours]
    try:
        if exchange == "before":
            _exchange(ours)
        seed()
        made = [t for t in results(changed.function(*changed.args, **changed.kwargs)) if t.requires_grad]
        if exchange == "after":
            _exchange(ours)
        weights = [torch.linspace(1, 2, t.numel()).view(t.shape).to(t.dtype) for t in made]
        wanted = [tensor for _, tensor in leaves if tensor.requires_grad]
        return list(torch.autograd.grad(made, wanted, weights, allow_unused=True))
    finally:
        for tensor, data in zip(ours, memory, strict=True):
            tensor.data = data


def _exchange(tensors: Sequence[torch.Tensor]) -> None:
    for tensor in tensors:
        tensor.data = tensor.data.flip(0) * 0.5 + 0.25 if tensor.dim() else tensor.data * 0.5 + 0.25


def _equal(ours: Gradients, theirs: Gradients) -> bool:
    pairs = zip(ours, theirs, strict=True)
    return all(a is b or (a is not None and b is not None and torch.allclose(a, b, equal_nan=True)) for a, b in pairs)
