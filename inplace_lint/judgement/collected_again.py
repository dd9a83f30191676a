"""Habits about lists that collect the same part of one memory again and again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from inplace_lint.judgement import taken_out
from inplace_lint.judgement.memory import APART, ARRAYS
from inplace_lint.judgement.pair import beside, links_of
from inplace_lint.judgement.reason import Reason, suspect
from inplace_lint.judgement.same_place import STATEMENT
from inplace_lint.torch_model.bindings import is_given_back, sources
from inplace_lint.torch_model.events import Read, Trace, Write
from inplace_lint.torch_model.op_names import RETURN
from inplace_lint.torch_model.operands import Binding
from inplace_lint.torch_model.regions import apart
from inplace_lint.torch_model.subscript import Position
from inplace_lint.torch_model.tensor import Tensor

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

NEXT_OBJECT = suspect(
    "next-object",
    "captured",
    "the next object in a list was given a tensor of the one before, and fills it, as if it had one of its own",
    """
    import torch


    class State:
        def __init__(self, place, free):
            self.place, self.free = place, free


    def path(steps):
        state, states = State(torch.zeros(1, dtype=torch.long), torch.ones(4, dtype=torch.bool)), []
        for step in range(steps):
            states.append(state)
            state = State(state.place + 1, state.free)
            state.free[:] = torch.arange(4) > state.place
        return torch.stack([each.free for each in states])
    """,
)


def judge_collected_again(reason: Reason, read: Read, held: Binding, write: Write, trace: Trace) -> Reason | None:
    """What is told of an element by that its list has the same once more, put there after the write."""
    if reason is STATEMENT and SAME_OBJECT_AGAIN.on and _is_again_in_list(read, held, write, trace):
        return SAME_OBJECT_AGAIN
    if reason is taken_out.FILLED_WHERE_KEPT and NEXT_OBJECT.on and _is_of_next_object(read, held, write, trace):
        return NEXT_OBJECT
    if reason is ARRAYS and COLLECTED_AGAIN.on and _is_in_later_object(read, held, write, trace):
        return COLLECTED_AGAIN
    again = reason in (APART, ARRAYS) and COLLECTED_AGAIN.on and _is_collected_again(reason, read, held, write, trace)
    return COLLECTED_AGAIN if again else None


def _is_collected_again(reason: Reason, read: Read, held: Binding, write: Write, trace: Trace) -> bool:
    """Whether the same part of a tensor is in a list a second time, put there after a write."""
    tensor = read.operand.tensor
    if held.kind != "element" or write.operand.binding is None or tensor.region is None:
        return False
    if apart(tensor.region, write.operand.tensor.region) or (reason is ARRAYS and _may_be_number(tensor)):
        return False
    (latest,) = trace.once(_elements)
    later = latest.get((held.owner, id(tensor.storage), tensor.region), {}).values()
    if any(again.bound_at > write.time and not _is_put_back(again, held) for again in later):
        return True
    return reason is ARRAYS and read.reader != RETURN and _is_given_again(read, write, trace)


def _is_put_back(element: Binding, held: Binding) -> bool:
    """Whether what was taken out of a place of a list was put there again: `parts[i] = parts[i].to("cpu")`."""
    return element.place == held.place and any(link is held for link in sources(element))


def _may_be_number(tensor: Tensor) -> bool:
    """Whether what was taken out of an array by positions may be one number of it, which is a copy."""
    last = tensor.region[-1] if tensor.region else ()
    taken = isinstance(last, tuple) and bool(last) and all(isinstance(cut, Position) for cut in last)
    return taken and tensor.sizes is None


def _is_given_again(read: Read, write: Write, trace: Trace) -> bool:
    """Whether an op is given the same tensor once more, as what was put somewhere after a write: `np.array(rows)`.

    What a loop over its elements reads in turn came from one place, put there once. Of a list of unknown length one
    element stands for all.
    """
    tensor, own = read.operand.tensor, list(links_of(read.operand.binding))
    if any(link.kind == "element" and isinstance(link.key, str) for link in own):
        return False
    for other in beside(read, trace):
        put = next((link for link in links_of(other.binding) if link.kind == "element"), None)
        same_part = other.tensor.storage is tensor.storage and other.tensor.region == tensor.region
        if put is not None and put not in own and put.bound_at > write.time and same_part:
            return True
    return False


def _is_of_next_object(read: Read, held: Binding, write: Write, trace: Trace) -> bool:
    """Whether one of several objects in a list that have a tensor in common was written by way of another object."""
    written, tensor = write.operand.binding, read.operand.tensor
    if written is None or written.kind != "attribute" or (written.key, held.kind) != (held.key, written.kind):
        return False
    if apart(tensor.region, write.operand.tensor.region):
        return False
    (found,) = trace.once(_objects)
    lists = _lists_before(read, write)
    return any(len(found.having.get((each, held.key, id(tensor.storage)), ())) > 1 for each in lists)


def _is_in_later_object(read: Read, held: Binding, write: Write, trace: Trace) -> bool:
    """Whether an array is in an object that a list had before a write, and in another one that it got after that."""
    tensor = read.operand.tensor
    if held.kind != "attribute" or apart(tensor.region, write.operand.tensor.region):
        return False
    (found,) = trace.once(_objects)
    return any(
        owner != held.owner and found.latest.get((each, (owner, held.key)), 0) > write.time
        for each in _lists_before(read, write)
        for owner in found.having.get((each, held.key, id(tensor.storage)), ())
    )


def _is_again_in_list(read: Read, held: Binding, write: Write, trace: Trace) -> bool:
    """Whether what is read was reached by an element that was put into a list before the write, and again after it."""
    (found,) = trace.once(_objects)
    return any(found.latest.get((each, held.place), 0) > write.time for each in _lists_before(read, write))


def _lists_before(read: Read, write: Write) -> Iterator[object]:
    """The lists by which what is read was reached, if it was in them before a write, and taken out of them after it."""
    if read.operand.way is None or read.overwrites:
        return
    for link in links_of(read.operand.way.binding):
        if link.is_result or is_given_back(link):
            return  # A call gave it, and had perhaps taken it out before.
        if link.kind == "element" and link.bound_at < write.time and isinstance(link.key, int):
            yield link.owner
        elif link.kind != "element" and link.bound_at < write.time:
            return  # It was taken out before.


@dataclass(slots=True)
class _Objects:
    """What is read in objects that are elements of lists.

    Args:
        latest: by the list and the place in the object, when it was put into the list at last.
        having: by the list, the attribute and its memory, the objects there.
    """

    latest: dict[tuple[object, object], int] = field(default_factory=dict)
    having: dict[tuple[object, object, int], set[object]] = field(default_factory=dict)


def _objects(trace: Trace) -> Iterator[_Objects]:
    found = _Objects()
    for event in trace.events:
        operand = event.operand if isinstance(event, Read) else None
        if operand is None or operand.way is None or operand.binding is None:
            continue
        binding = operand.binding
        for link in links_of(operand.way.binding):
            if link.kind == "element" and not (link.is_result or is_given_back(link)):
                key = (link.owner, binding.place)
                found.latest[key] = max(found.latest.get(key, 0), link.bound_at)
                shared = (link.owner, binding.key, id(operand.tensor.storage))
                found.having.setdefault(shared, set()).add(binding.owner)
    yield found


def _elements(trace: Trace) -> Iterator[dict[tuple[object, ...], dict[object, Binding]]]:
    """Of the elements that are read, by their container and what they share, the latest binding of each place."""
    latest: dict[tuple[object, ...], dict[object, Binding]] = {}
    for event in trace.events:
        binding = event.operand.binding if isinstance(event, Read) else None
        if isinstance(event, Read) and binding is not None and binding.kind == "element":
            tensor = event.operand.tensor
            places = latest.setdefault((binding.owner, id(tensor.storage), tensor.region), {})
            if binding.place not in places or binding.bound_at > places[binding.place].bound_at:
                places[binding.place] = binding
    yield latest
