"""Views of a part, or of another shape: windows that are to show a write, or values that were to stay."""

from __future__ import annotations

from inplace_lint.judgement.intent import is_average
from inplace_lint.judgement.pair import Pair, links_of
from inplace_lint.judgement.reason import Reason, silent
from inplace_lint.torch_model.bindings import derived
from inplace_lint.torch_model.op_names import LATER_USE, RETURN, SETITEM
from inplace_lint.torch_model.regions import extent, row

WINDOW = silent(
    "window",
    "a view of another part or shape of the tensor may be there to show the write",
    """
    import torch

    rows = torch.rand(6)
    first, rest = rows[:4], rows[2:]
    first *= 2
    result = first.sum() + rest.sum()
    """,
)


def judge_window(pair: Pair, reason: Reason) -> Reason:
    """Whether the name is a window on the memory, through which the write was to be seen."""
    named = _is_same_part(pair) or _is_taken(pair) or _is_named_before(pair)
    seen_as_meant = not (named or _is_given_again(pair) or _is_result_before(pair))
    return WINDOW if WINDOW.on and seen_as_meant else reason


def _is_same_part(pair: Pair) -> bool:
    """Whether the whole was written through another name, or the very part that the reader has a name for."""
    mine, parts = pair.held.region, [pair.written.region]
    if pair.target.storage is pair.write.storage:  # it has not been given other memory since
        parts.append(pair.target.region)
    # Who has another shape for the elements may want to see a write, but hardly that of an array.
    if pair.target.array:
        mine, parts = extent(mine), list(map(extent, parts))
    return mine in parts


def _is_taken(pair: Pair) -> bool:
    """Whether a part was put through a function for its result: then nobody wants the write to show in the whole."""
    write = pair.write
    taken = write.use in ("expression", "bound") or _is_result_of_call(pair)
    return taken and not (write.filler or is_average(write)) and pair.covered()


def _is_result_of_call(pair: Pair) -> bool:
    """Whether a call has given the part that it wrote, its caller took that, and an object keeps the whole."""
    write = pair.write
    if pair.read.reader != LATER_USE or not write.calls or write.gave(-1) is not None:
        return False
    return not write.results.is_for_argument(write.stack[-1])


def _is_given_again(pair: Pair) -> bool:
    """Whether the same statement wrote it in the call that gave what is read, and in one that gives it again.

    Each call returned its result in the one memory that its object keeps.
    """
    write, now = pair.write, pair.callee()
    if now is None or write.storage not in write.results.returned.get(now, ()) or not pair.covered():
        return False
    gave = {link.produced_from for link in links_of(pair.held) if link.by_call} - {now}
    earlier = (before for before, _, _ in write.storage.writes if before.site == write.site)
    return any(not gave.isdisjoint(before.calls) for before in earlier)


def _is_result_before(pair: Pair) -> bool:
    """Whether a function returns the part that it took out of what has values, and then had another function change."""
    held, since = pair.held, pair.held.bound_at
    itself = pair.read.reader == RETURN and pair.read.operand.binding is held
    taken = itself and held.kind == "name" and bool(held.region)
    kept = held.source is not None and held.source.kind == "attribute"
    return taken and kept and pair.callee() is not None and not pair.write.storage.is_constant(since) and pair.covered()


def _is_named_before(pair: Pair) -> bool:
    """Whether a part of a variable had been named before all of that was changed."""
    if pair.write.filler or pair.write.op == SETITEM or not derived(pair.held, pair.written):
        return False
    part, all_of = extent(pair.held.region), extent(pair.target.region)
    if part is None or all_of is None or part[: len(all_of)] != all_of:
        return False
    return not row(part, all_of)  # A row has a name of its own so as to see what becomes of it.
