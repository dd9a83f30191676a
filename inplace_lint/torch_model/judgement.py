"""What several rules ask of a trace: which saves a write broke, and which reads came too late."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from inplace_lint.diagnostic import Site
from inplace_lint.effort import STEP
from inplace_lint.torch_model.events import Backward, Certainty, Event, Read, Slot, StaleSave, Trace, Write
from inplace_lint.torch_model.intent import is_taken_for_copy
from inplace_lint.torch_model.misplaced import refetched, shared_writes
from inplace_lint.torch_model.op_table import filling, fills
from inplace_lint.torch_model.regions import extent
from inplace_lint.torch_model.relations import How, covers, parameters, relation, within
from inplace_lint.torch_model.slots import sources


@dataclass(frozen=True, slots=True)
class Broken:
    """A write, the saves that it made stale, and the backward pass that reads them."""

    write: Write
    saves: tuple[StaleSave, ...]
    backward: Backward

    @property
    def site(self) -> Site:
        """The write; where the same line saved and wrote, the call that made the difference."""
        save = self.saves[0].save
        if save.site == self.write.site:
            for ours, theirs in zip(self.write.stack, save.stack, strict=False):
                if ours != theirs:
                    return ours
        return self.write.site

    @property
    def certainty(self) -> Certainty:
        """Certain if one of the saves is."""
        return "certain" if any(save.certainty == "certain" for save in self.saves) else "assumed"

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What must hold for the first save to matter."""
        return self.saves[0].assumptions


@dataclass(frozen=True, slots=True)
class StaleRead:
    """A read through a slot that was bound before a write through another way to the memory.

    `held` is the slot through which the value came that was still there during the write.
    """

    read: Read
    write: Write
    how: How
    held: Slot

    @property
    def name(self) -> str:
        """What is read goes by this name: not by that of what was written, if there was another."""
        slot = self.read.operand.slot
        labels = [link.label for link in (slot, *sources(slot))] if slot is not None else [""]
        return next((label for label in labels if label and label != self.write.operand.text), labels[0])


def broken(trace: Trace, hidden: bool = False) -> Iterable[Broken]:
    """Each write that made saves stale, once for each backward pass; the earliest save first.

    With `hidden`, saves whose writes autograd does not see.
    """
    return trace.once(_broken_unseen if hidden else _broken_seen)


def _broken_seen(trace: Trace) -> Iterator[Broken]:
    return _broken(trace, hidden=False)


def _broken_unseen(trace: Trace) -> Iterator[Broken]:
    return _broken(trace, hidden=True)


def _broken(trace: Trace, hidden: bool) -> Iterator[Broken]:
    for event in trace.events:
        if not isinstance(event, Backward):
            continue
        groups: dict[int, list[StaleSave]] = {}
        trace.effort.spend(STEP * (len(event.hidden) + len(event.stale)))
        for stale in event.hidden if hidden else event.stale:
            if not (stale.write.is_refused or _updates_state(stale.write)):
                groups.setdefault(id(stale.write), []).append(stale)
        for saves in groups.values():
            saves.sort(key=lambda stale: stale.save.time)
            yield Broken(saves[0].write, tuple(saves), event)


def _updates_state(write: Write) -> bool:
    """Whether a state that came from outside is brought up to date, as in decoding, where nobody differentiates."""
    tensor = write.operand.tensor
    words = set(re.split("[^a-z]+", tensor.label))
    return tensor.given and write.op.endswith("copy_") and not words.isdisjoint(("state", "states", "cache"))


def stale_reads(trace: Trace) -> Iterable[StaleRead]:
    """Reads of overwritten values that the author can hardly have meant; the first for each write."""
    return trace.once(_stale_reads)


# Units of effort for holding a write against a read.
_A_PAIR = 5 * STEP


def _stale_reads(trace: Trace) -> Iterator[StaleRead]:
    reported = {id(found.write) for found in broken(trace)}
    chains: set[tuple[object, ...]] = set()
    kept: set[Site | None] = set()
    reported |= {id(write) for write, _ in shared_writes(trace)} | {id(write) for write in refetched(trace)}
    for event in trace.events:
        if not isinstance(event, Read) or event.operand.slot is None:
            continue
        for write in event.operand.tensor.storage.latest(event.time):
            if id(write) in reported or write.storage is not event.operand.tensor.storage:
                continue
            trace.effort.spend(_A_PAIR)
            held = holder(event, write)
            how = relation(event, held, write) if held is not None else None
            start = (id(write.storage), write.site.path, write.site.span.row, write.site.span.column)
            if held is not None and how is not None and _is_told(event, held, how):
                if _is_replaced(write, event, held):
                    continue
                if how == "argument" and (_is_carried_on(write, event, trace) or _is_left_for_caller(write, trace)):
                    continue
                if how == "alias" and _is_window(held, write, event, trace):
                    continue
                reported.add(id(write))
                if start in chains or (held.site in kept and write.op == _ACCUMULATING):
                    continue  # `x.relu_().mul_(2)` is one cause, and so is a gradient that is cleared and filled again
                chains.add(start)
                kept.add(held.site)
                yield StaleRead(event, write, how, held)


def _is_told(read: Read, held: Slot, how: How) -> bool:
    """Whether a read tells of the author's mind, though it may only be where an in-place op starts from."""
    starts_there = how == "argument" and not _refills(read.reader)
    return not (read.overwrites or _feeds(read)) or starts_there or is_taken_for_copy(read, held)


def _feeds(read: Read) -> bool:
    """Whether a part that is read goes, changed, to where it was: `x[i] = f(x[i])`."""
    slot, tensor = read.operand.slot, read.operand.tensor
    if slot is None or extent(tensor.region) == ():
        return False
    first = tensor.storage.count_until(read.time)
    for write, _, _ in tensor.storage.writes[first : first + 1]:
        same_one = write.operand.slot is not None and write.operand.slot.place == slot.place
        return same_one and write.op == "[]=" and write.statement == read.statement
    return False


def _refills(op: str) -> bool:
    """Whether an op leaves nothing of what was in the part that it writes."""
    return op in ("[]=", "zero_grad") or bool(filling(op))


# What adds to gradients: that says the same of a gradient that was kept.
_ACCUMULATING = "torch.Tensor.backward"


def holder(read: Read, write: Write) -> Slot | None:
    """The slot that held what is read while it was overwritten; a value may have gone through several."""
    until, first = read.time, read.operand.slot
    for slot in [first, *sources(first)] if first is not None else ():
        if slot.bound_at > until:
            return None  # The place was given other memory since.
        if slot.bound_at < write.time < until:
            anew = slot is not first and first is not None and slot.place == first.place and first.kind == "name"
            return None if anew else slot  # `x, lam = mixed(x)` goes on with what the call gave back.
        if slot.is_result and slot.since < write.time:
            return None
        until = slot.bound_at
    return None


# How much of a call is looked through for a loop's next round.
_MOST_EVENTS = 2_000


def _following(trace: Trace, began: int, most: int) -> Iterator[Event]:
    """The events from an index on, so many at most."""
    for index in range(began, min(began + most, len(trace.events))):
        trace.effort.spend(1)
        yield trace.events[index]


def _is_carried_on(write: Write, read: Read, trace: Trace) -> bool:
    """Whether an argument is the state of a loop, and only the function with that loop, called again, reads it."""
    depth = len(write.stack)
    if depth == 0 or write.gave(-1) != "other":
        return False
    if parameters(write.operand.slot, depth).isdisjoint(parameters(read.operand.slot, len(read.stack))):
        return False
    written = False
    began = bisect_right(trace.events, write.calls[-1], key=lambda each: each.time)
    for event in _following(trace, began, _MOST_EVENTS):
        if isinstance(event, (Read, Write)) and event.calls[:depth] != write.calls:
            break  # The call is over.
        if isinstance(event, Write):
            written |= event.site == write.site and event.storage is write.storage
        elif written and isinstance(event, Read) and event.operand.tensor.storage is write.storage:
            again = event.site.span.row < write.site.span.row and not event.overwrites
            if again and within(event.operand.tensor, write.operand.tensor):
                return True
    return False


def _is_left_for_caller(write: Write, trace: Trace) -> bool:
    """Whether a callee neither reads nor gives back what it wrote: then it wrote it for its caller."""
    depth = len(write.stack)
    if depth == 0 or trace.results.gave.get(write.calls[-1]) != "other":
        return False
    began = bisect_right(trace.events, write.time, key=lambda each: each.time)
    for event in _following(trace, began, _MOST_EVENTS):
        if isinstance(event, (Read, Write)) and event.calls[:depth] != write.calls:
            break  # The call is over.
        if isinstance(event, Read) and event.operand.tensor.storage is write.storage:
            return False
    return True


def _is_window(held: Slot, write: Write, read: Read, trace: Trace) -> bool:
    """Whether a name is there to see what calls do to the memory: it is read turn by turn, and nothing else is."""
    depth, seen = held.depth, False
    if held.kind != "name" or len(write.calls) <= depth:
        return False
    trace.effort.spend(len(write.storage.writes))
    writing = {other.calls[depth] for other, _, _ in write.storage.writes if len(other.calls) > depth}
    began = bisect_right(trace.events, held.bound_at, key=lambda each: each.time)
    for event in _following(trace, began, 20 * _MOST_EVENTS):
        if event.time >= read.time:
            return seen
        if isinstance(event, Read) and event.operand.tensor.storage is write.storage:
            slot = event.operand.slot
            if slot is not None and any(link is held for link in (slot, *sources(slot))):
                seen |= event.site == read.site and event.time < write.time
            elif len(event.calls) <= depth or event.calls[depth] not in writing:
                return False
    return False


def _is_replaced(write: Write, read: Read, held: Slot) -> bool:
    """Whether who reads had other values put in the place of what a write left: at once, or into each of its parts."""
    for later in write.storage.latest(read.time):
        slot, written = later.operand.slot, later.operand.tensor
        if slot is None or not write.time < later.time < read.time:
            continue
        if later.op == "[]=" and later.statement < write.time and within(write.operand.tensor, written):
            return True  # `x[0] = x[0].mul_(2)` puts the result back.
        into = later.op.endswith("(out=)")
        if not into and (not _refills(later.op) or "scattered" in later.marks):
            continue
        named = any(link.place == held.place for link in (slot, *sources(slot)))
        if written.view == "multi" or ((named or fills(later.op)) and covers(written, write.operand.tensor)):
            return True
    return False
