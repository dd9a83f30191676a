"""Habits about tensors that an attribute or element keeps, and that are taken out and written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inplace_lint.judgement.handed_back import judge_handed_back
from inplace_lint.judgement.intent import (
    is_average,
    is_averaged,
    is_collected,
    is_named_for_output,
    is_put_through,
    is_taken_as_value,
    stands_for,
)
from inplace_lint.judgement.pair import Pair, reached_by_attribute
from inplace_lint.judgement.reason import Reason, fact, silent, suspect
from inplace_lint.judgement.taken_by_name import judge_taken_name
from inplace_lint.source.installed import folder_of
from inplace_lint.torch_model.bindings import came_by_call, derived, sources
from inplace_lint.torch_model.events import Read, Write
from inplace_lint.torch_model.labels import is_own, last_name
from inplace_lint.torch_model.op_names import SETITEM, base_name
from inplace_lint.torch_model.op_table import adds
from inplace_lint.torch_model.operands import Binding

STARTS_THERE = fact("starts-there", "the read is the old value that an in-place op starts from")


RENAMED = suspect(
    "renamed",
    "captured",
    "what was brought up to date got another name, for a value that is then changed and used",
    """
    import torch

    weight, state = torch.ones(3), {"average": torch.zeros(3)}
    for gradient in torch.rand(2, 3):
        average = state["average"]
        average.lerp_(gradient, 0.1)
        update = average
        update.mul_(0.01)
        weight -= update
    """,
)
NAMED_STATE = silent(
    "named-state",
    "what is called a state is kept to be updated",
    """
    import torch

    state = {"moment": torch.zeros(2)}
    for gradient in torch.rand(3, 2):
        buffer = state["moment"]
        buffer.mul_(0.9)
        step = buffer + gradient
    result = state["moment"].sum()
    """,
)
LAID_OVER = suspect(
    "laid-over",
    "captured",
    "`vector_to_parameters` makes parameters views of the vector, so writing them changes it",
    """
    import torch
    from torch import nn
    from torch.nn.utils import parameters_to_vector, vector_to_parameters

    net = nn.Linear(2, 1)
    best = {"weights": parameters_to_vector(net.parameters()).detach()}
    vector_to_parameters(best["weights"], net.parameters())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net(torch.ones(2)).sum().backward()
    optimizer.step()
    print(best["weights"])
    """,
)
FILLED_AS_RESULT = suspect(
    "filled-as-result",
    "captured",
    "a function fills what its argument keeps, and returns it under a name that means something else",
    """
    import torch


    class Rollout:
        def __init__(self):
            self.rewards = torch.rand(4)


    def discounted(rollout, gamma):
        returns, total = rollout.rewards, 0
        for i in reversed(range(4)):
            total = rollout.rewards[i] + gamma * total
            returns[i] = total
        return returns


    rollout = Rollout()
    returns = discounted(rollout, 0.9)
    print(returns.mean(), rollout.rewards.mean())
    """,
)
SUM_SPOILT = suspect(
    "sum-spoilt",
    "captured",
    "a method changes what others add up, by a name of its own that it uses for its result",
    """
    import torch


    class Precision:
        def __init__(self):
            self.hits, self.seen = torch.zeros(3), torch.zeros(3)

        def update(self, hits):
            self.hits += hits
            self.seen += 1

        def compute(self):
            numerator = self.hits
            numerator[self.seen == 0] = float("nan")
            return numerator / self.seen
    """,
)
MASKED_BY_GETTER = suspect(
    "masked-by-getter",
    "captured",
    "a function named for getting masks what it gives, which is part of what is kept",
    """
    import torch


    class Decoded:
        def __init__(self):
            self.words = torch.randint(8, (2, 3))

        def get_last(self, most):
            words = self.words[:, -1]
            words[words >= most] = 0
            return words

        def sums(self, most):
            return self.get_last(most) + self.words.sum(1)


    result = Decoded().sums(2)
    """,
)
FILLED_WHERE_KEPT = silent(
    "filled-where-kept",
    "assigning to parts of a kept tensor, or copying into it, fills it where it is kept",
    """
    import torch


    class Memory:
        def __init__(self):
            self.rows = torch.zeros(3, 2)

        def put(self, i, row):
            target = self.rows
            target[i] = row
            return target.sum() + self.rows.mean()


    result = Memory().put(0, torch.ones(2))
    """,
)
MOVED = suspect(
    "moved",
    "captured",
    "a kept tensor was assigned to an attribute as well, and is changed there",
    """
    import torch

    weight = torch.ones(3, requires_grad=True)
    traces = {"weight": torch.rand(3)}
    trace = traces["weight"]
    weight.grad = trace
    weight.grad.mul_(0.1)
    size = traces["weight"].norm()
    """,
)
TAKEN_TO_CHANGE = silent(
    "taken-to-change",
    "a kept tensor that gets a name for nothing but the write is meant to change",
    """
    import torch


    class Layer:
        def __init__(self):
            self.values = torch.rand(3)

        def scaled(self):
            x = self.values
            x.mul_(2)
            return self.values.sum()


    result = Layer().scaled()
    """,
)
GIVEN_BY_CALL = suspect(
    "given-by-call",
    "captured",
    "a call returned the kept tensor itself, and its caller takes it for a new one",
    """
    import torch


    class Buffer:
        def __init__(self):
            self.returns, self.values = torch.rand(3), torch.rand(3)

        def targets(self):
            return self.returns, self.values


    buffer = Buffer()
    returns, values = buffer.targets()
    returns -= values
    print(buffer.returns, returns)
    """,
)
TAKEN_AS_VALUE = suspect(
    "taken-as-value",
    "captured",
    "what was taken out is put through a function for its result, which overwrites what is kept",
    """
    import torch


    class Schedule:
        def __init__(self):
            self.variance = torch.rand(3)

        def sigma(self, step):
            variance = self.variance[step]
            return variance.sqrt_()


    schedule = Schedule()
    sigma = schedule.sigma(0)
    print(schedule.variance)
    """,
)
COLLECTED = suspect(
    "collected",
    "captured",
    "the changed element goes into another container, as if it were a new tensor",
    """
    import torch

    kept = [torch.rand(3), torch.rand(3)]
    rewards = []
    for kl in kept:
        kl *= -0.1
        rewards.append(kl)
    print(kept[0], rewards[0])
    """,
)
OWN_LOOP = silent(
    "own-loop",
    "a loop takes out what is kept to change it",
    """
    import torch

    weights = {"a": torch.rand(2, 3)}
    rows = weights["a"]
    for row in rows:
        row.clamp_(0, 1)
    total = rows.sum() + weights["a"].sum()
    """,
)
PARTS_OF_STATE = silent(
    "parts-of-state",
    "a method that gives several parts of what its object keeps names, and changes them, updates the object",
    """
    import torch


    class PointMass:
        def __init__(self):
            self.state = torch.rand(4)

        def step(self, force):
            position, speed = self.state[:2], self.state[2:]
            speed.mul_(0.9).add_(force)
            position.add_(speed, alpha=0.1)
            return self.state, position.norm()


    mass = PointMass()
    for _ in range(3):
        state, distance = mass.step(torch.ones(2))
        print(distance)
    """,
)


# Of how many writes of a call it is asked which parts they change.
_MOST_PARTS = 20


def judge_taken_out(pair: Pair, way: list[Binding]) -> Reason:
    """What was kept in a place was taken out by a way, last binding first, and then written."""
    reason = _judge_place(pair, way) or judge_handed_back(pair, way) or _judge_purpose(pair, way)
    return reason or _judge_value(pair, way) or judge_taken_name(pair, way)


def judge_named_at_once(pair: Pair, chain: list[Binding]) -> Reason | None:
    """What one statement has given its place and its name: `buf = state["moment"] = torch.zeros(3)`."""
    kept, name = pair.held.site, pair.written.site
    at_once = kept is not None and name is not None and (kept.path, kept.span.row) == (name.path, name.span.row)
    return NAMED_STATE if NAMED_STATE.on and at_once and _is_state(pair, chain) else None


def _judge_place(pair: Pair, way: list[Binding]) -> Reason | None:
    """What the place tells that it was taken from, and what came of it on the way."""
    if pair.read.overwrites:
        return STARTS_THERE
    if RENAMED.on and _is_renamed(pair):
        return RENAMED
    if NAMED_STATE.on and _is_state(pair, way) and not is_taken_as_value(pair.write):
        return NAMED_STATE
    if MASKED_BY_GETTER.on and _is_masked_by_getter(pair.write, way[-1]):
        return MASKED_BY_GETTER
    return LAID_OVER if LAID_OVER.on and way[-1].is_vector_slice else None


def _judge_purpose(pair: Pair, way: list[Binding]) -> Reason | None:
    """Whether it was taken out to be written: what the write does, and what name it got for that."""
    write, first = pair.write, way[-1]
    if SUM_SPOILT.on and "of-sum" in write.marks:
        return SUM_SPOILT
    if (filled := _judge_fill(pair, way)) is not None:
        return filled
    if MOVED.on and any(link.kind == "attribute" for link in way[:-1]):
        return MOVED
    put = any(link.kind == "element" for link in way[:-1])
    if TAKEN_TO_CHANGE.on and first.kind == "name" and first.read_at < write.time and not put:
        return TAKEN_TO_CHANGE
    return None


def _judge_fill(pair: Pair, way: list[Binding]) -> Reason | None:
    """Whether what was filled was taken out for that; what a library gave as a value of its own was not."""
    write = pair.write
    if write.op != SETITEM and not write.filler:
        return None
    if FILLED_AS_RESULT.on and _is_filled_as_result(pair, way):
        return FILLED_AS_RESULT
    given = any(came_by_call(link) and _is_of_library(link, write) for link in way)
    return FILLED_WHERE_KEPT if FILLED_WHERE_KEPT.on and not given else None


def _judge_value(pair: Pair, way: list[Binding]) -> Reason | None:
    """Whether it was taken out for its value: who gave it, and where the result goes."""
    held, write = pair.held, pair.write
    if PARTS_OF_STATE.on and _is_one_of_parts(pair, way[-1]):
        return PARTS_OF_STATE
    of_call = GIVEN_BY_CALL.on and not is_averaged(write)
    if of_call and any(_is_of_call(link, held, way[0], write) for link in way):
        return GIVEN_BY_CALL
    if TAKEN_AS_VALUE.on and is_taken_as_value(write):
        return TAKEN_AS_VALUE
    if COLLECTED.on and is_collected(way[0], write):
        return COLLECTED
    return OWN_LOOP if OWN_LOOP.on and _of_own_loop(way, pair.read) else None


def _is_renamed(pair: Pair) -> bool:
    """Whether a name was given to what this function had just written, and the value changed by it is used."""
    write, name = pair.write, pair.written
    if name.in_loop or name.read_at < write.time or _is_short(name, pair.held):
        return False
    before = [each.operand.binding for each in write.storage.latest(name.bound_at) if each.calls == write.calls]
    return any(other is not None and other.place != name.place for other in before)


def _is_one_of_parts(pair: Pair, name: Binding) -> bool:
    """Whether a method has changed two parts of an attribute of its object, each by a name of its own."""
    write, held = pair.write, pair.held
    if name.kind != "name" or held.kind != "attribute" or not is_own(held.label) or not write.calls:
        return False
    writes, first = write.storage.writes, write.storage.count_until(write.calls[-1])
    written = [each.operand.binding for each, _, _ in writes[first : first + _MOST_PARTS] if each.calls == write.calls]
    others = [other for other in written if other is not None and other.kind == "name" and derived(other, held)]
    return any(other.place != name.place and other.region != name.region for other in others)


def _is_filled_as_result(pair: Pair, way: Sequence[Binding]) -> bool:
    """Whether who calls a function reads where it was kept what that returned as something else, all of it filled."""
    write, name = pair.write, way[-1]
    if is_own(name.container) or pair.callee() is None or pair.is_put_back():
        return False
    returned = write.storage in write.results.returned.get(write.calls[-1], ())
    return returned and not (
        _is_short(name, pair.held) or any(is_named_for_output(last_name(each.label)) for each in way)
    )


def _is_masked_by_getter(write: Write, name: Binding) -> bool:
    """Whether a function that says that it gives what is there has put a constant at some places of what it gave."""
    results, call = write.results, write.calls[-1] if write.calls else 0
    puts = "scattered" in write.marks or base_name(write.op) == "masked_fill_"
    masked = puts and all(other.tensor.dtype == "bool" for other in write.others)
    gave = call in results.getters and write.storage in results.returned[call]
    return masked and gave and write.stack[-1] not in results.discarded and name.kind == "name"


def _is_short(name: Binding, held: Binding) -> bool:
    """Whether a name is short for the text under which something is kept."""
    return not isinstance(held.key, int) and stands_for(name, held)


def _is_of_call(link: Binding, held: Binding, name: Binding, write: Write) -> bool:
    """Whether a call gave it, perhaps as one of several results: who wrote it could not see whence.

    Who asks for what is made when it is first asked for may want to bring that up to date, but not within a library.
    """
    if came_by_call(link):
        return not link.when_asked or is_put_through(write) or _is_of_library(link, write)
    if link.way is not None and came_by_call(link.way.binding):
        return is_put_through(write)
    return link.kind == "element" and link.depth > name.depth and not reached_by_attribute(name.way)


def _is_of_library(link: Binding, write: Write) -> bool:
    """Whether an installed library has made or kept what the program puts through an op: sums are there to grow."""
    if adds(write.op) or is_average(write) or write.storage.is_constant(link.bound_at):
        return False
    makers = (each.site.path for each in sources(link) if each.site is not None)
    return folder_of(write.site.path) == "" and any(folder_of(path) != "" for path in makers)


def _is_state(pair: Pair, way: Iterable[Binding]) -> bool:
    """Whether an element belongs to what is called a state, or is put into an optimizer's."""
    if pair.held.keeper == "optimizer":
        return True
    names = (pair.held.container_name, pair.read.operand.name, *(link.container_name for link in way))
    return pair.held.kind == "element" and any(name.endswith("state") for name in names)


def _of_own_loop(way: list[Binding], read: Read) -> bool:
    return any(link.in_loop and link.depth <= len(read.stack) for link in way)
