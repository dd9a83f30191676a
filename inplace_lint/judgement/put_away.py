"""A habit about memory that is put away first, and filled afterwards by the name from which it was put away."""

from __future__ import annotations

from bisect import bisect_left

from inplace_lint.judgement.pair import links_of
from inplace_lint.judgement.reason import StaleKind, silent
from inplace_lint.torch_model.bindings import sources
from inplace_lint.torch_model.events import Read, Trace, Write
from inplace_lint.torch_model.op_names import SETITEM
from inplace_lint.torch_model.operands import Binding

PUT_AWAY_TO_FILL = silent(
    "put-away-to-fill",
    "what is put into a container or object before anyone has read it is put there to be filled",
    """
    import torch


    def spread(gradients, flat):
        parts, offset = [], 0
        for gradient in gradients:
            part = flat.narrow(0, offset, gradient.numel())
            parts.append(part)
            part.copy_(gradient)
            offset += gradient.numel()
        return parts


    result = torch.cat(spread([torch.ones(2), torch.zeros(1)], torch.empty(3).normal_()))
    """,
)

# How many events are looked through for a read.
_MOST_EVENTS = 200


def is_put_away_to_fill(read: Read, write: Write, held: Binding, how: StaleKind, trace: Trace) -> bool:
    """Whether a call puts away what it has taken from somewhere, reads nothing of it, and then fills it."""
    if not PUT_AWAY_TO_FILL.on or how != "captured" or held.kind not in ("attribute", "element"):
        return False
    if not (write.filler or write.op == SETITEM) or read.operand.tensor.is_parameter:
        return False
    since = _taken_at(held, write)
    return since is not None and not _is_used_between(since, held.bound_at, write, trace)


def _taken_at(held: Binding, write: Write) -> int | None:
    """When the call that fills, or one that it has made, took from somewhere what it puts away; None if it did not."""
    places = {source.place for source in sources(held)}
    began = write.calls[-1] if write.calls else 0
    for link in links_of(write.operand.binding):
        if link.kind == "name" and link.place in places:
            taken = link.source is not None and began <= link.bound_at < held.bound_at < write.time
            return link.bound_at if taken else None
        if link.by_call and began <= link.produced_from < held.bound_at <= link.bound_at:
            return link.produced_from
    return None


def _is_used_between(since: int, kept_at: int, write: Write, trace: Trace) -> bool:
    """Whether the memory was written from a time on until it was kept, or read until the statement that writes it."""
    at = bisect_left(trace.events, write.statement, key=lambda each: each.time)
    for index in range(at - 1, -1, -1):
        event = trace.events[index]
        if event.time <= since:
            return False
        trace.effort.spend(1)
        if at - index > _MOST_EVENTS:
            return True
        if isinstance(event, Read) or (isinstance(event, Write) and event.time < kept_at):
            tensor = event.operand.tensor
            if tensor.storage is write.storage:
                return True
    return False
