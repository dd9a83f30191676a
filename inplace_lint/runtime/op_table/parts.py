"""Which elements a view shows, and in which order; what an in-place op does to the shape of its target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import torch

from inplace_lint.runtime.op_table.observe import Call
from inplace_lint.runtime.op_table.varied import copied, given, results, run, written
from inplace_lint.torch_model.effects import Effects, Part


def part(calls: Sequence[Call], effects: Effects) -> Part:
    """The part of its source that the first result shows, or that a written tensor is of what it was."""
    targets = written(effects)
    if targets:
        return _merged([_shown(call, targets[0], True) for call in calls], "resized")
    output = effects.outputs[0]
    if output.of is None or output.origin == "alias":
        return ""
    merged = _merged([_shown(call, output.of, False) for call in calls], "")
    if all(param.optional or param.name == output.of for param in effects.params) and not merged:
        alone = Call(calls[0].function, (torch.zeros(3, 3),), {}, (output.of,))
        merged = "diagonal" if _shown(alone, output.of, False) == "diagonal" else ""
    if merged or output.origin == "maybe" or not any(param.name == "dim" for param in effects.params):
        return merged
    return "rows" if _cuts_rows(calls, output.of) else ""


def _merged(seen: Sequence[Part | None], otherwise: Part) -> Part:
    found = set(seen) - {None}
    if found == {"same"} or not found:
        return ""
    found -= {"same"}
    if found == {"whole"}:
        return "whole"
    if found in ({"turned"}, {"turned", "whole"}):
        return "turned"
    return otherwise


def _shown(call: Call, source: str, in_place: bool) -> Part | None:
    """`same` if the tensor is as it was; None if that is not to be seen."""
    held: list[torch.Tensor] = []
    before: list[tuple[torch.Size, tuple[int, ...]]] = []
    memory: list[int] = []

    def change(name: str, tensor: torch.Tensor) -> torch.Tensor:
        tensor = copied(name, tensor)
        if name == source and not held:
            held.append(tensor)
            before.append((tensor.shape, tensor.stride()))
            memory.append(tensor.untyped_storage().data_ptr())
        return tensor

    found = results(run(call, change))
    if not held or not found or held[0].numel() < 2:
        return None
    if in_place:
        if (held[0].shape, held[0].stride()) == before[0]:
            return cast(Part, "same")
        return _order(held[0], *before[0]) if held[0].untyped_storage().data_ptr() == memory[0] else ""
    view = found[0]
    if view.untyped_storage().data_ptr() != held[0].untyped_storage().data_ptr() or view.dtype != held[0].dtype:
        return None
    order = _order(view, *before[0])
    if order == "" and held[0].dim() == 2 and not in_place:
        diagonal = held[0].diagonal()
        return "diagonal" if (view.shape, view.stride()) == (diagonal.shape, diagonal.stride()) else ""
    return order


def _order(view: torch.Tensor, shape: torch.Size, stride: tuple[int, ...]) -> Part:
    """How the elements of a view lie to those of a contiguous tensor."""
    places = torch.arange(max(view.untyped_storage().nbytes() // view.element_size(), shape.numel()))
    ours = places.as_strided(view.shape, view.stride(), view.storage_offset()).flatten()
    theirs = places.as_strided(shape, stride).flatten()
    if ours.numel() != theirs.numel():
        return ""
    if torch.equal(ours, theirs):
        return "whole"
    return "turned" if torch.equal(ours.sort()[0], theirs) else ""


def _cuts_rows(calls: Sequence[Call], source: str) -> bool:
    """Whether views along the first dimension are contiguous where what they are views of is, and others are not."""
    seen: dict[int, list[bool]] = {0: [], 1: []}
    for call in calls:
        for dim, contiguous in seen.items():
            shown = _along(call, source, dim)
            contiguous += [view.is_contiguous() for view in shown]
    return bool(seen[0]) and all(seen[0]) and not all(seen[1])


def _along(call: Call, source: str, dim: int) -> list[torch.Tensor]:
    if not isinstance(given(call, "dim"), int) and "dim" not in call.names:
        call = replace(call, kwargs={**call.kwargs, "dim": dim})
    else:
        args = [dim if name == "dim" else value for name, value in zip(call.names, call.args, strict=True)]
        kwargs = {name: dim if name == "dim" else value for name, value in call.kwargs.items()}
        call = replace(call, args=tuple(args), kwargs=kwargs)
    found = results(run(call))
    return [view for view in found if view.dim() > 1 and min(view.shape) > 1]
