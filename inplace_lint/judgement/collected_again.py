"""Habits about lists that collect the same part of one memory again and again."""

from __future__ import annotations

from collections.abc import Iterator

from inplace_lint.judgement.memory import APART
from inplace_lint.judgement.pair import links_of
from inplace_lint.judgement.reason import Reason, suspect
from inplace_lint.judgement.same_place import STATEMENT
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

SAME_OBJECT_AGAIN = suspect(
    "same-object-again",
    "captured",
    "who puts the same object into a list again takes what was written in between to be in the later place only",
    """
    import torch


    def path(steps):
        state, states = {"place": torch.zeros(2)}, []
        for step in range(steps):
            states.append(state)
            state["place"] += 1
        return torch.stack([each["place"] for each in states])
    """,
)


def judge_collected_again(reason: Reason, read: Read, held: Binding, write: Write, trace: Trace) -> Reason | None:
    """What is told of an element by that its list has the same once more, put there after the write."""
    if reason is STATEMENT and SAME_OBJECT_AGAIN.on and _is_of_same_object(read, held, write, trace):
        return SAME_OBJECT_AGAIN
    if reason is not APART or not COLLECTED_AGAIN.on or held.kind != "element" or write.operand.binding is None:
        return None
    tensor = read.operand.tensor
    if tensor.region is None or apart(tensor.region, write.operand.tensor.region):
        return None
    (latest,) = trace.once(_elements)
    again = latest.get((held.place[0], id(tensor.storage), tensor.region), 0) > write.time
    return COLLECTED_AGAIN if again else None


def _is_of_same_object(read: Read, held: Binding, write: Write, trace: Trace) -> bool:
    """Whether what is read was reached by an element that was put into a list before the write, and again after it."""
    if read.operand.way is None or read.overwrites:
        return False
    (latest,) = trace.once(_objects)
    for link in links_of(read.operand.way.binding):
        if link.kind == "element":
            again = latest.get((link.place[0], held.place), 0) > write.time
            if again and link.bound_at < write.time and isinstance(link.place[1], int):
                return True
        elif link.bound_at < write.time:
            return False  # It was taken out before.
    return False


def _objects(trace: Trace) -> Iterator[dict[tuple[object, ...], int]]:
    """Of what is read in elements of a list, by the list and its own place, when it was put into the list at last."""
    latest: dict[tuple[object, ...], int] = {}
    for event in trace.events:
        way = event.operand.way if isinstance(event, Read) else None
        binding = event.operand.binding if isinstance(event, Read) else None
        if way is not None and binding is not None:
            for link in links_of(way.binding):
                if link.kind == "element":
                    key = (link.place[0], binding.place)
                    latest[key] = max(latest.get(key, 0), link.bound_at)
    yield latest


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
