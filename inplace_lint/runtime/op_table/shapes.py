"""The shape of a result, as far as the shapes of the arguments determine it."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from inplace_lint.runtime.op_table.observe import Call
from inplace_lint.runtime.op_table.varied import results, run, tensors
from inplace_lint.torch_model.effects import Effects, Shape


def shape(calls: Sequence[Call], effects: Effects) -> Shape:
    """`broadcast`, the number of dimensions, or None if neither is always right."""
    output = effects.outputs[0]
    if output.origin not in ("fresh", "maybe") and not output.when:
        return None
    seen = [(made[0].shape, [t.shape for _, t in tensors(call)]) for call in calls if (made := results(run(call)))]
    if not seen:
        return None
    if all(given and result == _broadcast(given) for result, given in seen):
        return "broadcast" if {len(result) for result, _ in seen} - {0} else None
    ranks = {len(result) for result, _ in seen}
    # so many numbers of dimensions of the arguments make it a fact about the op, not about its samples
    known = len({len(given[0]) for _, given in seen if given}) > 2 or not any(given for _, given in seen)
    return ranks.pop() if len(ranks) == 1 and known else None


def _broadcast(shapes: Sequence[torch.Size]) -> torch.Size | None:
    try:
        return torch.Size(torch.broadcast_shapes(*shapes))
    except RuntimeError:
        return None
