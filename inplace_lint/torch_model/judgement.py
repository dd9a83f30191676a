"""What several rules ask of a trace: which saves a write broke, and which reads came too late."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from inplace_lint.diagnostic import Site
from inplace_lint.torch_model.events import Backward, Certainty, Read, Slot, StaleSave, Trace, Write
from inplace_lint.torch_model.intent import (
    DRAWN,
    LIBRARY_WRITES,
    MIXING,
    REFILLS,
    for_output,
    gives_what_it_wrote,
    has_computed_key,
    is_activation,
    is_average,
    is_foreign,
    is_taken_as_value,
    is_taken_for_copy,
    is_used,
    stands_for,
)
from inplace_lint.torch_model.misplaced import refetched, shared_writes
from inplace_lint.torch_model.regions import apart, extent, meet
from inplace_lint.torch_model.slots import came_by_call, common_source, derived, passed_from, sources, was_put, way_to
from inplace_lint.torch_model.tensor import Storage, Tensor

How = Literal["same-name", "same-expression", "alias", "captured", "argument"]


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


def broken(trace: Trace, hidden: bool = False) -> Iterator[Broken]:
    """Each write that made saves stale, once for each backward pass; the earliest save first."""
    for event in trace.events:
        if not isinstance(event, Backward):
            continue
        groups: dict[int, list[StaleSave]] = {}
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
    """Reads of overwritten values that the author can hardly have meant; the first for each write.

    Several rules ask; they are looked for once, unless events have come since.
    """
    if trace.stale is None or trace.stale[0] != len(trace.events):
        trace.stale = (len(trace.events), tuple(_stale_reads(trace)))
    return trace.stale[1]


def _stale_reads(trace: Trace) -> Iterator[StaleRead]:
    reported = {id(found.write) for found in broken(trace)}
    chains: set[tuple[object, ...]] = set()
    kept: set[Site | None] = set()
    reported |= {id(write) for write, _ in shared_writes(trace)} | {id(write) for write in refetched(trace)}
    for event in trace.events:
        if not isinstance(event, Read) or event.operand.slot is None:
            continue
        for write in _latest(event.operand.tensor.storage, event.time):
            if id(write) in reported:
                continue
            held = holder(event, write)
            how = _relation(event, held, write) if held is not None else None
            start = (id(write.storage), write.site.path, write.site.span.row, write.site.span.column)
            if held is not None and how is not None and _is_told(event, held, how):
                if _is_replaced(write, event, held) or (how == "argument" and _is_carried_on(write, event, trace)):
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
    return not read.overwrites or how == "argument" or is_taken_for_copy(read, held)


# What adds to gradients: that says the same of a gradient that was kept.
_ACCUMULATING = "torch.Tensor.backward"

# How many writes to one memory a read is held against, the latest first kept.
_MOST_WRITES = 64


def _latest(storage: Storage, time: int) -> Iterator[Write]:
    """The latest writes to a storage up to a time, in order."""
    end = bisect_right(storage.writes, time, key=lambda entry: entry[0].time)
    for write, _, _ in storage.writes[max(0, end - _MOST_WRITES) : end]:
        yield write


def _within(part: Tensor, whole: Tensor) -> bool:
    """Whether a write to `whole` surely changes all of `part`."""
    return part is whole or (whole.region is not None and part.storage is whole.storage and _covers(whole, part))


def _covers(whole: Tensor, part: Tensor) -> bool:
    """Whether a write to `part` surely changes `whole`."""
    all_of, some = extent(whole.region), extent(part.region)
    if whole is part or all_of == ():
        return True
    if all_of is None or some is None or apart(whole.region, part.region):
        return False
    return some[: len(all_of)] == all_of or meet(all_of, some)


def holder(read: Read, write: Write) -> Slot | None:
    """The slot that held what is read while it was overwritten; a value may have gone through several."""
    until = read.time
    for slot in [read.operand.slot, *sources(read.operand.slot)] if read.operand.slot else ():
        if slot.bound_at < write.time < until:
            return slot
        if slot.is_result and slot.since < write.time:
            return None
        until = slot.bound_at
    return None


def _relation(read: Read, slot: Slot, write: Write) -> How | None:
    """What the reading of `slot` and the writing have to do with each other."""
    written, tensor = write.operand.slot, read.operand.tensor
    if written is None and slot.kind in ("element", "attribute") and not (write.filler or write.is_refused):
        # What was kept is overwritten by code that has no name for it (the next layer).
        return "captured" if _covers(tensor, write.operand.tensor) else None
    if written is None or write.is_refused or not write.certain:
        return None
    if is_taken_for_copy(read, slot) and slot.place != written.place and _covers(tensor, write.operand.tensor):
        return "captured" if slot.kind in ("element", "attribute") else "alias"
    if write.operand.tensor.array and tensor.array:
        return None
    if write.operand.tensor.array != tensor.array and _are_fields(slot, written):
        return None  # An object that has an array and a tensor of the same memory wants both.
    if write.op in LIBRARY_WRITES and not slot.detached:
        return None
    if (tensor.hides or tensor.family).parameter and not slot.detached and slot.kind in ("attribute", "element"):
        # Kept as a variable, not for its value: tied weights, what an optimizer updates.
        return "captured" if is_used(write) and _covers(tensor, write.operand.tensor) else None
    if write.operand.tensor.hides is not None and tensor.hides is None and tensor.need.certain and read.grad_mode:
        return None
    same_statement = write.time >= read.statement and slot.depth == len(read.stack)
    if slot.place == written.place:
        return _same_place(slot, write, read, same_statement) if _within(tensor, write.operand.tensor) else None
    if any(slot.place == caller.place for caller in passed_from(written)):
        if slot.kind == "attribute" and _is_handed_on(slot, write):
            return None
        own = slot.kind == "element" and _of_own_loop(way_to(written, slot) or [], read)
        if own and not gives_what_it_wrote(write):
            return None
        return _in_callee(slot, write, read, same_statement) if _covers(tensor, write.operand.tensor) else None
    how = _other_place(slot, write, read)
    if how == "captured":
        return how if _covers(tensor, write.operand.tensor) else None
    # The whole through another name, or the very part that the reader has a name for.
    mine, parts = slot.region, [written.region, write.operand.tensor.region]
    if write.use not in ("statement", "rebound"):  # Who has another shape for the elements may want to see a statement.
        mine, parts = extent(mine), list(map(extent, parts))
    return how if mine is not None and mine in parts else None


def _are_fields(slot: Slot, other: Slot) -> bool:
    """Whether two places are attributes of one object."""
    places = slot.place, other.place
    owners = [place[0] for place in places if isinstance(place, tuple) and len(place) == 2]
    return slot.kind == other.kind == "attribute" and len(owners) == 2 and owners[0] == owners[1]


def _same_place(slot: Slot, write: Write, read: Read, same_statement: bool) -> How | None:
    foreign = write.op != "[]=" and not write.filler and is_foreign(slot, write, read)
    if foreign and _callee(slot, write, read) is not None:
        # A callee changed what is in the container or object that it was given.
        return _in_callee(slot, write, read)
    if same_statement and read.reader in MIXING and read.statement <= write.statement:
        return "same-expression"
    drawn = write.op.rpartition(".")[2] in DRAWN and write.use == "bound"
    if write.use in ("statement", "rebound", "returned") or (write.filler and not drawn):
        return None
    if same_statement and write.use == "expression":
        return "same-expression"
    if slot.kind in ("attribute", "element") and (is_activation(write) or is_taken_as_value(write)):
        return "same-name"
    # A name for an element or attribute is a shorthand: what it stands for is meant to change.
    shorthand = slot.kind == "name" and slot.source is not None and was_put(slot.source)
    return "same-name" if slot.kind in ("name", "parameter") and not shorthand else None


# How much of a call is looked through for a loop's next round.
_MOST_EVENTS = 2_000


def _is_carried_on(write: Write, read: Read, trace: Trace) -> bool:
    """Whether an argument is the state of a loop, and only the function with that loop, called again, reads it."""
    depth = len(write.stack)
    if depth == 0 or write.procedures.get(write.stack[-1]) != "other":
        return False
    if _parameters(write.operand.slot, depth).isdisjoint(_parameters(read.operand.slot, len(read.stack))):
        return False
    written = False
    began = bisect_right(trace.events, write.calls[-1], key=lambda each: each.time)
    for event in trace.events[began : began + _MOST_EVENTS]:
        if isinstance(event, (Read, Write)) and event.calls[:depth] != write.calls:
            break  # The call is over.
        if isinstance(event, Write):
            written |= event.site == write.site and event.storage is write.storage
        elif written and isinstance(event, Read) and event.operand.tensor.storage is write.storage:
            again = event.site.span.row < write.site.span.row and not event.overwrites
            if again and _within(event.operand.tensor, write.operand.tensor):
                return True
    return False


def _is_window(held: Slot, write: Write, read: Read, trace: Trace) -> bool:
    """Whether a name is there to see what calls do to the memory: it is read turn by turn, and nothing else is."""
    depth, seen = held.depth, False
    if held.kind != "name" or len(write.calls) <= depth:
        return False
    writing = {other.calls[depth] for other, _, _ in write.storage.writes if len(other.calls) > depth}
    began = bisect_right(trace.events, held.bound_at, key=lambda each: each.time)
    for event in trace.events[began : began + 20 * _MOST_EVENTS]:
        if event.time >= read.time:
            return seen
        if isinstance(event, Read) and event.operand.tensor.storage is write.storage:
            slot = event.operand.slot
            if slot is not None and any(link is held for link in (slot, *sources(slot))):
                seen |= event.site == read.site and event.time < write.time
            elif len(event.calls) <= depth or event.calls[depth] not in writing:
                return False
    return False


def _parameters(slot: Slot | None, depth: int) -> set[Site | None]:
    """Where the parameters of a running function stand through which a value came."""
    links = (slot, *sources(slot)) if slot is not None else ()
    return {link.site for link in links if link.kind == "parameter" and link.depth == depth}


def _is_replaced(write: Write, read: Read, held: Slot) -> bool:
    """Whether who reads had other values put in the place of what a write left: at once, or into each of its parts."""
    for later in _latest(write.storage, read.time):
        slot, written = later.operand.slot, later.operand.tensor
        if slot is None or not write.time < later.time < read.time:
            continue
        if later.op == "[]=" and later.statement < write.time and _within(write.operand.tensor, written):
            return True  # `x[0] = x[0].mul_(2)` puts the result back.
        into = later.op.endswith("(out=)")
        if not into and later.op.rpartition(".")[2] not in REFILLS:
            continue
        named = any(link.place == held.place for link in ((slot, *sources(slot)) if into else (slot,)))
        if written.view == "multi" or (named and _covers(written, write.operand.tensor)):
            return True
    return False


def _callee(slot: Slot, write: Write, read: Read) -> Site | None:
    """The call in which the write happened, if it began after the slot was bound and ended before the read."""
    for site, began in zip(write.stack, write.calls, strict=True):
        if began > slot.bound_at and began not in read.calls:
            return site
    return None


def _in_callee(slot: Slot, write: Write, read: Read, same_statement: bool = False) -> How | None:
    """The callee wrote what it was given: meant where its name says so, or where it gives nothing back."""
    call = _callee(slot, write, read)
    if write.declared or call is None or for_output(write.operand.slot):
        return None
    gives = write.procedures.get(call)
    through_array = write.operand.tensor.array and write.operand.tensor.hides is not None
    # What a function does to an array that it measures is hardly meant for the tensor.
    procedure = gives == "nothing" or (gives == "number" and not through_array)
    if procedure and (write.stack[-1] == call or not gives_what_it_wrote(write)):
        return None
    return "same-expression" if same_statement else "argument"


def _is_handed_on(slot: Slot, write: Write) -> bool:
    """Whether who took an attribute out had it changed by a call that gives nothing back: to change it is its use."""
    way = way_to(write.operand.slot, slot) if write.operand.slot is not None else None
    depth = next((link.depth for link in reversed(way or ()) if link.kind == "parameter"), 0)
    return 0 < depth <= len(write.stack) and write.procedures.get(write.stack[depth - 1]) == "nothing"


def _is_passed(read: Read) -> bool:
    """Whether a value is read in a function that was given it."""
    slot = read.operand.slot
    return slot is not None and any(link.kind == "parameter" for link in (slot, *sources(slot)))


def _other_place(slot: Slot, write: Write, read: Read) -> How | None:
    written = write.operand.slot
    assert written is not None
    chain = [written, *passed_from(written)]
    if slot.kind in ("name", "parameter"):
        if any(link.in_loop for link in chain):
            # What a loop takes out of a container stands for what was put there.
            return None
        if slot.kind == "parameter" and read.operand.tensor.family.parameter and derived(slot, written):
            return None  # A function was given the variable to use it as it will be.
        filled = (write.op == "[]=" or write.filler) and for_output(written)
        if filled or write.storage.is_blank(slot.bound_at):
            return None  # Who named it before it had values waits for them.
        related = any(derived(link, slot) or derived(slot, link) for link in chain) or common_source(slot, written)
        return "alias" if related else None
    taken = next((way for link in chain if (way := way_to(link, slot)) is not None), None)
    if taken is not None:
        return _taken_out(slot, taken, write, read)
    if any(derived(slot, link) for link in chain) or common_source(slot, written):
        return "captured"
    return None


def _taken_out(slot: Slot, way: list[Slot], write: Write, read: Read) -> How | None:
    """What was kept in an attribute or element was taken out, and then written."""
    if read.overwrites or (_is_state(slot, read) and not is_taken_as_value(write)):
        return None
    copied = slot.kind == way[-1].kind == "element" or _is_namesake(slot, way[-1])
    if copied and not way[-1].is_result:
        return "captured"  # A copy of the container or object was made, to leave the first as it is.
    if write.op == "[]=" or write.filler:
        return None
    if any(link.kind == "attribute" and not came_by_call(link) for link in way[:-1]):
        return "captured"  # It was put into another place, and is changed there.
    if write.use == "statement" and way[-1].kind == "name" and way[-1].read_at < write.time:
        return None  # It was taken out to be changed: the name is not used otherwise.
    if any((link.place == slot.place and came_by_call(link)) or _within_result(link, way[0]) for link in way):
        return "captured"  # A call gave it; who wrote it could not see whence.
    if is_taken_as_value(write):
        return "captured"
    if _of_own_loop(way, read):
        return None
    own = way[-1].container.startswith("self.")
    if slot.kind == "element" and not own and (call := _callee(slot, write, read)) is not None:
        if len(read.stack) > write.stack.index(call) and not _is_passed(read):
            return None  # Who reads has it from the same object or container: that is its state.
        return _in_callee(slot, write, read)
    name = way[-1]
    if name.kind != "name" or name.in_loop or is_average(write):
        return None
    stands = has_computed_key(read.operand.text) or stands_for(name, slot)
    return "captured" if _adds_up(slot, write) or not stands else None


def _is_state(slot: Slot, read: Read) -> bool:
    """Whether an element belongs to what is called a state: that is kept to be brought up to date."""
    return slot.kind == "element" and any(
        text.partition("[")[0].endswith("state") for text in (slot.container, read.operand.text)
    )


def _is_namesake(slot: Slot, other: Slot) -> bool:
    """Whether two places are the same field of two objects, the other one filled when that object was made."""
    names = [place[1:] for place in (slot.place, other.place) if isinstance(place, tuple)]
    fields = slot.kind == other.kind == "attribute" and other.site is None
    return fields and len(names) == 2 and names[0] == names[1]


def _within_result(link: Slot, name: Slot) -> bool:
    """Whether a slot is one of several results that a call gave to the function of `name`."""
    return link.kind == "element" and link.depth > name.depth


def _of_own_loop(way: list[Slot], read: Read) -> bool:
    """Whether the reader's own loop took the element out: then it is meant to change."""
    return any(link.in_loop and link.depth <= len(read.stack) for link in way)


def _adds_up(slot: Slot, write: Write) -> bool:
    """Whether other elements of the same container are added: the name stands for their total."""
    container = slot.place[0] if slot.kind == "element" and isinstance(slot.place, tuple) else None
    others = [operand.slot for operand in write.others if operand.slot is not None]
    return container is not None and any(
        isinstance(link.place, tuple) and link.place[0] == container and link.place != slot.place
        for other in others
        for link in (other, *sources(other))
    )
