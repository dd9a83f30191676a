"""Habits about lists that collect the same part of one memory again and again."""

from __future__ import annotations

from collections.abc import Iterator

from inplace_lint.judgement.memory import APART
from inplace_lint.judgement.reason import Reason, suspect
from inplace_lint.torch_model.events import Read, Trace, Write
from inplace_lint.torch_model.operands import Binding
from inplace_lint.torch_model.regions import apart

COLLECTED_AGAIN = suspect(
    "collected-again",
    "captured",
    "who puts the same part of a tensor into a list again takes the write in between to have changed it",
    """
    import torch


    def collected(steps, layers):
        state, outputs = torch.zeros(layers), []
        for step in range(steps):
            for layer in range(layers):
                state[layer] = step
            outputs.append(state[-1])
        return torch.stack(outputs)
    """,
)


def judge_collected_again(reason: Reason, read: Read, held: Binding, write: Write, trace: Trace) -> Reason | None:
    """What is told of an element by that its list has the same part once more, put there after the write."""
    if reason is not APART or not COLLECTED_AGAIN.on or held.kind != "element" or write.operand.binding is None:
        return None
    tensor = read.operand.tensor
    if tensor.region is None or apart(tensor.region, write.operand.tensor.region):
        return None
    (latest,) = trace.once(_elements)
    again = latest.get((held.place[0], id(tensor.storage), tensor.region), 0) > write.time
    return COLLECTED_AGAIN if again else None


def _elements(trace: Trace) -> Iterator[dict[tuple[object, ...], int]]:
    """Of the elements that are read, by their container and what they share, when the latest of them was put there."""
    latest: dict[tuple[object, ...], int] = {}
    for event in trace.events:
        binding = event.operand.binding if isinstance(event, Read) else None
        if isinstance(event, Read) and binding is not None and binding.kind == "element":
            tensor = event.operand.tensor
            key = (binding.place[0], id(tensor.storage), tensor.region)
            latest[key] = max(latest.get(key, 0), binding.bound_at)
    yield latest
