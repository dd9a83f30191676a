"""Which memory that overlaps an op writes, or reads, without a word."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from inplace_lint.runtime.op_table.observe import Call
from inplace_lint.runtime.op_table.varied import FAILED, REFUSED, Change, copied, run, tensors, written
from inplace_lint.torch_model.effects import Effects


def unchecked(calls: Sequence[Call], effects: Effects) -> tuple[str, ...]:
    """The written parameters that may be expanded tensors, and the read ones that may overlap with what is written."""
    targets = written(effects)
    if len(targets) != 1:
        return ()
    target = targets[0]
    found = [target] if _is_never_refused([(call, _stretching(call, target)) for call in calls]) else []
    for source in dict.fromkeys(name for call in calls for name, _ in tensors(call) if name != target):
        shifts = [(call, _shifting(call, target, source)) for call in calls]
        found += [source] if _is_never_refused(shifts) else []
    return tuple(found)


def _is_never_refused(tries: Sequence[tuple[Call, Change | None]]) -> bool:
    answers = [run(call, change) for call, change in tries if change is not None]
    return any(answer is not FAILED for answer in answers) and all(answer is not REFUSED for answer in answers)


def _stretching(call: Call, target: str) -> Change | None:
    """Makes the target an expanded tensor."""
    shape = next((t.shape for name, t in tensors(call) if name == target), torch.Size())
    dim = next((dim for dim, size in enumerate(shape) if size > 1), None)
    if dim is None:
        return None

    def change(name: str, tensor: torch.Tensor) -> torch.Tensor:
        tensor = copied(name, tensor)
        return tensor.select(dim, 0).unsqueeze(dim).expand(tensor.shape) if name == target else tensor

    return change


def _shifting(call: Call, target: str, source: str) -> Change | None:
    """Puts the source into the memory of the target, by one element before it; a single one is its first element."""
    given = dict(tensors(call))
    if target not in given or source not in given or given[target].dtype != given[source].dtype:
        return None
    sizes = {name: given[name].numel() for name in (target, source)}
    if sizes[target] < 2 or sizes[source] < 1 or [name for name, _ in tensors(call)].count(source) > 1:
        return None
    shift = 1 if sizes[source] > 1 else 0
    memory = torch.zeros(max(sizes.values()) + 1, dtype=given[target].dtype)
    memory[shift : sizes[target] + shift] = given[target].flatten()
    memory[: sizes[source]] = given[source].flatten()

    def change(name: str, tensor: torch.Tensor) -> torch.Tensor:
        if name not in sizes:
            return copied(name, tensor)
        start = shift if name == target else 0
        return memory[start : start + sizes[name]].view(tensor.shape)

    return change
