"""To which arguments backward hands the very gradient of the result, with nothing copied: a sum does so to both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

from inplace_lint.runtime.op_table.observe import Call
from inplace_lint.runtime.op_table.samples import seed
from inplace_lint.runtime.op_table.varied import copied, mapped, results
from inplace_lint.torch_model.effects import Effects


def passes(calls: Sequence[Call], effects: Effects) -> tuple[str, ...]:
    """The parameters that get it wherever they have the shape of the result, if no option is given."""
    if not effects.differentiable or not (effects.writes or effects.outputs[0].origin == "fresh"):
        return ()
    options = {param.name for param in effects.params if param.optional}
    seen: dict[str, bool] = {}
    for call in calls:
        if options.isdisjoint((*call.names, *call.kwargs)):
            for name, passed in _handed(call):
                seen[name] = seen.get(name, True) and passed
    return tuple(param.name for param in effects.params if seen.get(param.name))


def _handed(call: Call) -> Iterator[tuple[str, bool]]:
    """The parameters with the shape of the result, and whether the gradient of each is the one that came in."""
    leaves: list[tuple[str, torch.Tensor]] = []

    def leaf(name: str, tensor: torch.Tensor) -> torch.Tensor:
        tensor = copied(name, tensor)
        if not (tensor.is_floating_point() or tensor.is_complex()):
            return tensor
        leaves.append((name, tensor.requires_grad_()))
        return tensor.clone()  # what an op may write; backward hands on what it gets

    try:
        changed = mapped(call, leaf)
        seed()
        made = results(changed.function(*changed.args, **changed.kwargs))
        incoming = torch.rand(made[0].shape).to(made[0].dtype)
        gradients = torch.autograd.grad(made[0], [tensor for _, tensor in leaves], incoming, allow_unused=True)
    except Exception:  # not everything takes tensors that all require grad
        return
    for (name, tensor), gradient in zip(leaves, gradients, strict=True):
        if tensor.shape == incoming.shape and tensor.dtype == incoming.dtype and tensor.numel() > 1:
            yield name, gradient is not None and _where(gradient) == _where(incoming)


def _where(tensor: torch.Tensor) -> tuple[int, tuple[int, ...]]:
    return tensor.data_ptr(), tensor.stride()
