"""Habits about kept tensors that are written under a name of their own or by a call: what the name or call implies."""

from __future__ import annotations

from inplace_lint.judgement.callees import judge_callee
from inplace_lint.judgement.intent import is_average, stands_for
from inplace_lint.judgement.pair import Pair, links_of
from inplace_lint.judgement.reason import Reason, fact, silent, suspect
from inplace_lint.torch_model.labels import has_computed_key, is_own, last_name
from inplace_lint.torch_model.operands import Binding

NOT_TAKEN_BY_NAME = fact("not-taken-by-name", "what was kept is written where it is, without a name of its own")
TAKEN_AND_CHANGED = fact("taken-and-changed", "what was kept was taken out under another name, and changed", "captured")

STATE_OF_OBJECT = silent(
    "state-of-object",
    "methods of one object share what it keeps: one changes it, another reads it",
    """
    import torch


    def grown(banks, x):
        bank = banks["a"]
        return bank.add_(x) * 2


    class Memory:
        def __init__(self):
            self.banks = {"a": torch.rand(3)}

        def __call__(self, x):
            y = grown(self.banks, x)
            return y * self.total()

        def total(self):
            return self.banks["a"].sum()


    memory = Memory()
    first = memory(torch.ones(3))
    second = memory(torch.ones(3))
    """,
)
GIVEN_BACK_AS_NEW = suspect(
    "given-back-as-new",
    "captured",
    "a function returns a tensor of the list that it was given, as if it were a new one",
    """
    import torch


    def pooled(states):
        total = states[0]
        for state in states[1:]:
            total += state
        return total


    class Encoder:
        def __init__(self):
            self.first, self.second = torch.rand(3), torch.rand(3)

        def __call__(self):
            mean = pooled([self.first, self.second]) / 2
            return mean - self.first


    result = Encoder()()
    """,
)
AVERAGE = silent(
    "average",
    "a running average such as `v.mul_(0.9).add_(x)` updates what is kept",
    """
    import torch

    velocity = {"weight": torch.zeros(3)}
    for gradient in torch.rand(2, 3):
        v = velocity["weight"]
        v.mul_(0.9).add_(gradient)
        step = v * 0.1
    print(velocity["weight"])
    """,
)
TAKEN_IN_TURN = silent(
    "taken-in-turn",
    "a loop over what is kept changes it on purpose",
    """
    import torch


    class Bank:
        def __init__(self):
            self.rows = torch.rand(2, 3)

        def normalise(self):
            total = 0
            for x in self.rows:
                x /= x.norm()
                total += x.sum()
            return total


    bank = Bank()
    total = bank.normalise()
    result = bank.rows.mean()
    """,
)
STANDS_FOR = silent(
    "stands-for",
    "the name is short for an attribute or key, or is that of one among many, and stands for what is kept there",
    """
    import torch


    class Moments:
        def __init__(self):
            self.running_mean = torch.zeros(2)

        def update(self, values):
            mean = self.running_mean
            for row in values:
                mean.add_(row - mean)
            return self.running_mean * 2


    result = Moments().update(torch.rand(3, 2))
    """,
)


def judge_taken_name(pair: Pair, way: list[Binding]) -> Reason:
    """What was kept in a place was taken out by a way, last binding first, which tells nothing of the author."""
    return _judge_callee(pair, way) or _judge_name(pair, way[-1])


def _judge_callee(pair: Pair, way: list[Binding]) -> Reason | None:
    """What the call tells in which it was written."""
    held, read = pair.held, pair.read
    own = is_own(way[-1].container)
    if held.kind == "element" and not own and (began := pair.callee()) is not None:
        deeper = len(read.stack) > pair.write.calls.index(began)
        if STATE_OF_OBJECT.on and deeper and not _is_passed(pair):
            return STATE_OF_OBJECT
        return judge_callee(pair)
    return GIVEN_BACK_AS_NEW if GIVEN_BACK_AS_NEW.on and pair.is_given_back() else None


def _judge_name(pair: Pair, name: Binding) -> Reason:
    """What the name tells that it was taken out by."""
    if name.kind != "name":
        return NOT_TAKEN_BY_NAME
    if TAKEN_IN_TURN.on and name.in_loop:
        return TAKEN_IN_TURN
    if AVERAGE.on and is_average(pair.write):
        return AVERAGE
    if pair.write.alike or any(link.converted for link in links_of(pair.write.operand.binding)):
        return TAKEN_AND_CHANGED  # What `to` perhaps copies is no other name for what is kept.
    stands = has_computed_key(pair.read.operand.text) or stands_for(name, pair.held) or _is_one_changed(pair, name)
    return STANDS_FOR if STANDS_FOR.on and stands and not _adds_up(pair) else TAKEN_AND_CHANGED


def _is_one_changed(pair: Pair, name: Binding) -> bool:
    """Whether a statement changes one of many, under their name: `mask &= ...`, of `self.masks`."""
    changes = pair.write.use in ("statement", "rebound")
    return changes and last_name(name.container) in (f"{name.label}s", f"{name.label}es")


def _is_passed(pair: Pair) -> bool:
    """Whether a value is read in a function that was given it, or by another call that was given what it is in."""
    read = pair.read
    links = list(links_of(read.operand.binding))
    if any(link.kind == "parameter" for link in links):
        return True
    ways = (read.operand.way, *(link.way for link in links))
    within = (inner for way in ways if way is not None for inner in links_of(way.binding))
    other = read.stack[-1:] != pair.write.stack[-1:]
    return other and any(link.kind == "parameter" and link.label != "self" for link in within)


def _adds_up(pair: Pair) -> bool:
    """Whether other elements of the same container are added: the name stands for their total."""
    held = pair.held
    links = [link for operand in pair.write.others for link in links_of(operand.binding)]
    return held.kind == "element" and any(link.owner == held.owner and link.place != held.place for link in links)
