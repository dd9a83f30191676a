"""Resets that reset nothing: an attribute is given what it has held all the time, and what was written since."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inplace_lint.effort import STEP
from inplace_lint.judgement.intent import is_named_for_output
from inplace_lint.judgement.pair import links_of
from inplace_lint.judgement.reason import suspect
from inplace_lint.torch_model.coverage import within
from inplace_lint.torch_model.events import Bind, Trace, Write
from inplace_lint.torch_model.labels import last_name
from inplace_lint.torch_model.op_names import SETITEM, has_out
from inplace_lint.torch_model.operands import Binding

RESET_TO_ITSELF = suspect(
    "reset-to-itself",
    "captured",
    "an attribute that is given another one to start anew was not meant to have changed that one",
    """
    import torch


    class Totals:
        def __init__(self):
            self.blank = torch.zeros(2)
            self.total = self.blank

        def add(self, x):
            self.total += x
            return self.total.clone()

        def reset(self):
            self.total = self.blank


    totals = Totals()
    totals.add(torch.ones(2))
    totals.reset()
    result = totals.add(torch.ones(2))
    """,
)


@dataclass(frozen=True, slots=True)
class TakenAgain:
    """A write by one attribute to what another one keeps, which the first is given once more: that resets nothing."""

    write: Write
    again: Bind

    @property
    def kept(self) -> Binding:
        """The attribute that keeps it."""
        assert self.again.binding.source is not None
        return self.again.binding.source


def taken_again(trace: Trace) -> Iterator[TakenAgain]:
    """Resets that change nothing: `self.total = self.zero`, after `self.total += x`."""
    told: set[int] = set()
    for event in trace.events if RESET_TO_ITSELF.on else ():
        if not isinstance(event, Bind) or not _is_reset(event.binding):
            continue
        for write in event.tensor.storage.latest(event.time):
            trace.effort.spend(STEP)
            if id(write) not in told and _changes(write, event.binding):
                told.add(id(write))
                yield TakenAgain(write, event)


def _is_reset(binding: Binding) -> bool:
    """Whether an attribute is given what another one of its object keeps."""
    source = binding.source
    if source is None or source.is_result or not binding.kind == source.kind == "attribute":
        return False
    named = is_named_for_output(last_name(source.label)) or is_named_for_output(last_name(binding.label))
    return source.owner == binding.owner and source.place != binding.place and not named


def _changes(write: Write, again: Binding) -> bool:
    """Whether it was written by the first of two attributes, and not filled, since the other one keeps it."""
    kept = again.source
    if kept is None or write.time < kept.bound_at or write.filler or write.op == SETITEM or has_out(write.op):
        return False
    links = (link for link in links_of(write.operand.binding) if link.place == again.place and link.source is not None)
    first = next((link for link in links if link.source is not None and link.source.place == kept.place), None)
    return first is not None and not _is_filled_since(first, write)


def _is_filled_since(taken: Binding, write: Write) -> bool:
    """Whether what is changed had been given other values since it was taken up."""
    return any(
        taken.bound_at < earlier.time
        and (earlier.filler or earlier.op == SETITEM or has_out(earlier.op))
        and within(write.operand.tensor, earlier.operand.tensor)
        for earlier in write.storage.latest(write.time - 1)
    )
