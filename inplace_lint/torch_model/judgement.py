"""What several rules ask of a trace: which saves a write broke, and which reads came too late."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from inplace_lint.torch_model.events import Backward, Certainty, Read, Slot, StaleSave, Trace, Write
from inplace_lint.torch_model.tensor import Tensor

How = Literal["same-name", "same-expression", "alias", "captured", "argument"]

LIBRARY_WRITES = frozenset({"optimizer.step", "load_state_dict"})


@dataclass(frozen=True, slots=True)
class Broken:
    """A write, the saves that it made stale, and the backward pass that reads them."""

    write: Write
    saves: tuple[StaleSave, ...]
    backward: Backward

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
    """A read through a slot that was bound before a write through another way to the memory."""

    read: Read
    write: Write
    how: How


def broken(trace: Trace, hidden: bool = False) -> Iterator[Broken]:
    """Each write that made saves stale, once for each backward pass; the earliest save first."""
    for event in trace.events:
        if not isinstance(event, Backward):
            continue
        groups: dict[int, list[StaleSave]] = {}
        for stale in event.hidden if hidden else event.stale:
            if not _refused(stale.write):
                groups.setdefault(id(stale.write), []).append(stale)
        for saves in groups.values():
            saves.sort(key=lambda stale: stale.save.time)
            yield Broken(saves[0].write, tuple(saves), event)


def _refused(write: Write) -> bool:
    return write.refusal is not None and write.refusal.certainty == "certain"


def stale_reads(trace: Trace) -> Iterator[StaleRead]:
    """Reads of overwritten values that the author can hardly have meant; the first for each write."""
    seen: set[int] = set()
    for event in trace.events:
        if not isinstance(event, Read) or event.operand.slot is None:
            continue
        tensor = event.operand.tensor
        for write, _, _ in tensor.storage.writes:
            if id(write) in seen or not event.operand.slot.bound_at < write.time < event.time:
                continue
            how = _how(event, write)
            if how is not None:
                seen.add(id(write))
                yield StaleRead(event, write, how)


def same_extent(a: Tensor, b: Tensor) -> bool:
    """Whether two tensors on one storage cover the same elements."""
    return a is b or (a.region is not None and a.region == b.region)


def _how(read: Read, write: Write) -> How | None:
    slot, written = read.operand.slot, write.operand.slot
    if slot is None or written is None or _refused(write) or not write.certain:
        return None
    if not same_extent(read.operand.tensor, write.operand.tensor):
        return None
    if write.op in LIBRARY_WRITES and (read.operand.tensor.family.parameter or slot.kind == "name"):
        return None
    same_statement = write.time >= read.statement
    if slot.place == written.place:
        return _same_place(slot, write, same_statement)
    if any(slot.place == caller.place for caller in passed_from(written)):
        return _in_callee(slot, write, same_statement)
    return _other_place(slot, written)


def _same_place(slot: Slot, write: Write, same_statement: bool) -> How | None:
    if write.use in ("statement", "rebound", "returned") or write.filler:
        return None
    if same_statement and write.use == "expression":
        return "same-expression"
    return "same-name" if slot.kind in ("name", "parameter") else None


def _in_callee(slot: Slot, write: Write, same_statement: bool) -> How | None:
    """The callee wrote what it was given: meant where its name says so, or where it gives nothing back."""
    call = write.stack[slot.depth] if slot.depth < len(write.stack) else None
    if write.declared or call is None or call in write.procedures:
        return None
    return "same-expression" if same_statement else "argument"


def _other_place(slot: Slot, written: Slot) -> How | None:
    chain = [written, *passed_from(written)]
    if any(_derived(link, slot) for link in chain):
        return "alias" if slot.kind in ("name", "parameter") else None
    if any(_derived(slot, link) for link in chain) or _common_source(slot, written):
        return "alias" if slot.kind in ("name", "parameter") else "captured"
    return None


def passed_from(slot: Slot) -> Iterator[Slot]:
    """The callers' slots that an argument came from, innermost first."""
    while slot.kind == "parameter" and slot.source is not None:
        slot = slot.source
        yield slot


def sources(slot: Slot) -> Iterator[Slot]:
    """The slots that a value was read from, nearest first."""
    current = slot.source
    for _ in range(20):
        if current is None:
            return
        yield current
        current = current.source


def _derived(slot: Slot, origin: Slot) -> bool:
    return any(source.place == origin.place for source in sources(slot))


def _common_source(a: Slot, b: Slot) -> bool:
    ours = {source.place for source in sources(a) if source.kind in ("name", "parameter")}
    return any(source.place in ours for source in sources(b))
