"""Reads for nothing: the copy that is made of what is read gets other values before anybody uses it."""

from __future__ import annotations

from bisect import bisect_right
from itertools import islice

from inplace_lint.judgement.reason import fact
from inplace_lint.torch_model.events import Read, Trace, Write
from inplace_lint.torch_model.op_table import filling
from inplace_lint.torch_model.regions import extent

FILLED_ANEW = fact("filled-anew", "what is made of what is read gets other values before anybody uses it")

# An op with so many operands is looked through.
_MOST_OPERANDS = 8


def is_filled_anew(read: Read, trace: Trace) -> bool:
    """Whether all that an op gives is filled by the next op: `init.normal_(rows[i].clone())`."""
    after = bisect_right(trace.events, read.time, key=lambda each: each.time)
    for event in islice(trace.events, after, after + _MOST_OPERANDS):
        trace.effort.spend(1)
        if isinstance(event, Write):
            return filling(event.op) != "" and _is_result_of(read, event)
        if not isinstance(event, Read) or event.operand.tensor.storage.made_at > read.time:
            return False
    return False


def _is_result_of(read: Read, write: Write) -> bool:
    """Whether a write changes all that an op has made of what it read, be that the same memory: `contiguous`."""
    tensor, made = read.operand.tensor, write.operand.tensor
    if made.made_site is None or not read.site.is_within(made.made_site):
        return False
    if made.storage is tensor.storage:
        return made.region is not None and extent(made.region) == extent(tensor.region)
    return made.storage.made_at > read.time and made.region == ()
