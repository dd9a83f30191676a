"""Classifies a read that comes after a write to its memory: stale, and how; or not, and why."""

from __future__ import annotations

from itertools import takewhile

from inplace_lint.judgement.buffers import judge_unnamed_buffer
from inplace_lint.judgement.callees import judge_handed_over
from inplace_lint.judgement.memory import APART, OVERWRITTEN_WHERE_KEPT, UNNAMED, judge_memory
from inplace_lint.judgement.other_place import judge_other_place
from inplace_lint.judgement.pair import Pair, links_of
from inplace_lint.judgement.reason import Reason, StaleKind
from inplace_lint.judgement.same_place import judge_same_place
from inplace_lint.torch_model.bindings import sources
from inplace_lint.torch_model.coverage import covers
from inplace_lint.torch_model.events import Read, Write
from inplace_lint.torch_model.operands import Binding


def classify(read: Read, held: Binding, write: Write) -> Reason:
    """What decides whether a read is stale that comes after a write; the first reason that applies.

    Args:
        read: the read.
        held: the binding that held what is read while it was written.
        write: the write.
    """
    written = write.operand.binding
    if written is None:
        return _unnamed(read, held, write)
    pair = Pair(read, write, held, written)
    if (reason := judge_memory(pair)) is not None:
        return reason
    if held.place == written.place or _is_in_same_holder(pair):
        return judge_same_place(pair)
    return judge_handed_over(pair) or judge_other_place(pair)


def _is_in_same_holder(pair: Pair) -> bool:
    """Whether a part of what goes by a name was written, and the same part is taken out by that name again."""
    if not any(link is pair.held for link in sources(pair.written)):
        return False
    again = takewhile(lambda link: link is not pair.held, links_of(pair.read.operand.binding))
    return any(link.kind in ("attribute", "element") and link.place == pair.written.place for link in again)


def _unnamed(read: Read, held: Binding, write: Write) -> Reason:
    """What was written has no name: an attribute or element that keeps it was overwritten by the next layer."""
    if held.kind not in ("attribute", "element") or write.is_refused:
        return UNNAMED
    if (reason := judge_unnamed_buffer(held, write)) is not None:
        return reason
    return OVERWRITTEN_WHERE_KEPT if covers(read.operand.tensor, write.operand.tensor) else APART


def stale_kind(reason: Reason, held: Binding) -> StaleKind | None:
    """How a read is stale for a reason; None if it is not."""
    if reason.kind == "kept":
        return "captured" if held.kind in ("attribute", "element") else "alias"
    return reason.kind
