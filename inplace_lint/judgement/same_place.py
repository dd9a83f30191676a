"""Habits about one name, attribute or element that was overwritten, and is read again."""

from __future__ import annotations

from itertools import pairwise

from inplace_lint.judgement.callees import judge_callee
from inplace_lint.judgement.intent import is_foreign, is_put_through, is_taken_as_value, takes_from_elsewhere
from inplace_lint.judgement.memory import APART
from inplace_lint.judgement.pair import Pair, links_of
from inplace_lint.judgement.reason import Reason, fact, silent, suspect
from inplace_lint.judgement.second_names import is_of_result
from inplace_lint.torch_model.bindings import was_put
from inplace_lint.torch_model.labels import last_name
from inplace_lint.torch_model.op_names import SETITEM, base_name, twin_of
from inplace_lint.torch_model.op_table import filling, is_activation, shifts
from inplace_lint.torch_model.operands import Binding
from inplace_lint.torch_model.sizes import is_only_elementwise, is_unary

READ_AGAIN = fact("read-again", "the name is read again, and has the new value", "same-name")
READ_BESIDE = fact("read-beside", "the expression that writes reads the name, too", "same-expression")

TAKEN_WHEN_CHANGED = suspect(
    "taken-when-changed",
    "same-expression",
    "elements are taken by the same statement that has already changed the tensor",
    """
    import torch

    x, order = torch.rand(4), torch.randperm(4)
    x.mul_(0.5).add_(x[order], alpha=0.5)
    print(x)
    """,
)
TAKEN_WITH_FUNCTION = suspect(
    "taken-with-function",
    "same-expression",
    "the statement that puts a tensor through a function takes its elements by its name, too",
    """
    import torch

    x = torch.randn(4)
    x.sigmoid_().mul_(x)
    print(x)
    """,
)
STATEMENT = silent(
    "statement",
    "an in-place op that stands alone, or whose result keeps the name, changes the variable on purpose",
    """
    import torch

    x = torch.rand(4)
    x.clamp_(0.1)
    y = x.log()
    """,
)
FILLING = silent(
    "filling",
    "`fill_`, `copy_`, `zero_` and the like are called for the write, not for the result",
    """
    import torch

    x = torch.empty(4)
    y = x.fill_(3.0)
    z = y + x
    """,
)
KEPT_VALUE_CHANGED = suspect(
    "kept-value-changed",
    "same-name",
    "a kept tensor is put through a function for its result, which overwrites what is kept",
    """
    import torch


    class Policy:
        def __init__(self):
            self.log_std = torch.zeros(2)

        def sample(self, mean):
            std = self.log_std.exp_()
            return mean + std


    policy = Policy()
    result = policy.sample(torch.ones(2)) + policy.sample(torch.ones(2))
    """,
)
SPREAD_AFTER_SHIFT = silent(
    "spread-after-shift",
    "a standard deviation or variance is the same after something was added to all values, or subtracted",
    """
    import torch

    advantages = torch.arange(4.0).exp()
    standardized = advantages.sub_(advantages.mean()).div_(advantages.std() + 1e-8)
    result = standardized.abs().max()
    """,
)
SHORTHAND = silent(
    "shorthand",
    "a name for an attribute or element stands for it, and changes it on purpose",
    """
    import torch


    class Counter:
        def __init__(self):
            self.hits = torch.zeros(2)

        def add(self, x):
            hits = self.hits
            total = hits.add_(x).sum()
            return hits / total


    result = Counter().add(torch.ones(2))
    """,
)
STATE = silent(
    "state",
    "an object updates the tensor that it keeps, and goes on with it",
    """
    import torch


    class Counter:
        def __init__(self):
            self.hits = torch.zeros(2)

        def add(self, x):
            total = self.hits.add_(x).sum()
            return self.hits / total


    result = Counter().add(torch.ones(2))
    """,
)


def judge_same_place(pair: Pair) -> Reason:
    """The place that was written is read again."""
    if not pair.within():
        return APART
    return _judge_call(pair) or _judge_statement(pair) or _judge_name(pair)


def _judge_call(pair: Pair) -> Reason | None:
    held, write = pair.held, pair.write
    foreign = write.op != SETITEM and not write.filler and is_foreign(held, write)
    if foreign and pair.callee() is not None and not is_of_result(pair):
        return judge_callee(pair)  # It changed what is in the container or object that it was given.
    named = held.kind in ("name", "parameter")
    if named and len(write.stack) > held.depth and write.operand.text != held.label:
        return judge_callee(pair, pair.in_one_statement)  # The variable was handed over in a container.
    return None


def _judge_statement(pair: Pair) -> Reason | None:
    read, write = pair.read, pair.write
    if pair.in_one_statement and (taken := _taken_as_well(pair)) is not None:
        return taken
    if STATEMENT.on and _stands_for_write(pair):
        return STATEMENT
    drawn = filling(write.op) == "drawn" and write.use == "bound"
    if FILLING.on and write.filler and not drawn:
        return FILLING
    if not pair.in_one_statement:
        return None
    spread = last_name(read.reader) in _SPREADS and shifts(write.op)
    return SPREAD_AFTER_SHIFT if SPREAD_AFTER_SHIFT.on and spread else READ_BESIDE


def _stands_for_write(pair: Pair) -> bool:
    """Whether nobody takes the result of a write for another value; who returns a function of what is kept does."""
    write = pair.write
    if write.use == "returned":
        return not (pair.is_kept and is_taken_as_value(write))
    return write.use in ("statement", "rebound")


def _taken_as_well(pair: Pair) -> Reason | None:
    """Why a statement that stands for its write should not read what it has written by its name."""
    if TAKEN_WHEN_CHANGED.on and takes_from_elsewhere(pair.read.reader):
        return TAKEN_WHEN_CHANGED
    return TAKEN_WITH_FUNCTION if TAKEN_WITH_FUNCTION.on and _is_taken_with_function(pair) else None


def _is_taken_with_function(pair: Pair) -> bool:
    """Whether the elements of a tensor are read beside a function of it; what is summed up is meant to be new."""
    ops = twin_of(pair.write.op), twin_of(pair.read.reader)
    by_place = not _TRIANGLES.isdisjoint(map(base_name, ops))  # `x.triu_().add_(x.triu(1).T)`
    return is_unary(ops[0]) and is_only_elementwise(ops[1]) and not by_place and not pair.read.overwrites


_TRIANGLES = frozenset({"triu", "tril"})
_SPREADS = frozenset({"std", "var"})


def _judge_name(pair: Pair) -> Reason:
    write, short = pair.write, _is_shorthand(pair.held)
    if not pair.is_kept and not short:
        return READ_AGAIN
    if write.use == "expression" and is_put_through(write) and _is_of_argument(pair):
        return READ_AGAIN  # Who gave the list may keep it; this function only takes out of it what it needs.
    if KEPT_VALUE_CHANGED.on and ((write.grad_mode and is_activation(write.op)) or is_taken_as_value(write)):
        return KEPT_VALUE_CHANGED
    habit = STATE if pair.is_kept else SHORTHAND
    return habit if habit.on else READ_AGAIN


def _is_shorthand(held: Binding) -> bool:
    """Whether a name stands for what is kept elsewhere.

    A tuple that was taken apart as soon as a call gave it keeps nothing: nothing else has a name for it.
    """
    if held.kind != "name" or held.source is None or not was_put(held.source):
        return False
    return any(
        source.kind == "attribute" or (source.kind == "element" and (link.way is not None or _has_named_holder(source)))
        for link, source in pairwise(links_of(held))
    )


def _is_of_argument(pair: Pair) -> bool:
    """Whether the write came to an element through the argument in which it is."""
    way = pair.write.operand.way
    given = way is not None and way.binding.kind == "parameter"
    return pair.held.kind == "element" and (given or _has_named_holder(pair.held))


def _has_named_holder(element: Binding) -> bool:
    """Whether an element was taken out of an argument of which nothing but its name is known."""
    holder = element.source
    return holder is not None and holder.kind == "parameter" and element.label.startswith(f"{holder.label}[")
