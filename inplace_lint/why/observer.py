"""Observes the runs of a file's entry points, and records the writes on one line."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import TypeVar

from inplace_lint.findings.analysis import Names
from inplace_lint.interpret.analysis.entries import Entry, names_of
from inplace_lint.interpret.state.run import Run
from inplace_lint.judgement.broken_saves import broken
from inplace_lint.source import ir
from inplace_lint.source.place import Site, Span
from inplace_lint.torch_model.events import Escape, Trace, Write
from inplace_lint.why.facts import LaterRead, Place, Saved, Source, WriteFacts
from inplace_lint.why.names import other_names

_Key = tuple[str, Place, str]


class Observer:
    """Notes what happens in some rows of a file.

    Args:
        source: the file.
        rows: the rows of the statement that is asked about.

    Attributes:
        reached: the entry points that ran a statement there to its end, or wrote.
        functions: the rows of the names of the functions that were run.
        unknown: whether something was changed there that may be a tensor.
        callees: the functions out of view that were given a tensor there.
        harmless: whether a number or a container was changed there.
    """

    def __init__(self, source: Source, rows: Collection[int]) -> None:
        self._source = source
        self._rows = rows
        self._here = False
        self._writes: dict[_Key, WriteFacts] = {}
        self.reached: set[Names] = set()
        self.functions: set[int] = set()
        self.callees: set[str] = set()
        self.unknown = self.harmless = False

    @property
    def writes(self) -> tuple[WriteFacts, ...]:
        """What was written there, in order."""
        return tuple(sorted(self._writes.values(), key=lambda each: _order(each.site)))

    def statement(self, run: Run, statement: ir.Stmt) -> None:
        """Note that the line was reached."""
        self._here |= statement.span.row in self._rows and run.frame.module.path == self._source.path

    def path(self, entry: Entry, run: Run) -> None:
        """Note what was run and written."""
        functions = [each for each in (entry.function, *run.executed) if each is not None]
        self.functions.update(each.span.row for each in functions)
        self.unknown |= any(map(self._is_here, run.maybe_write_sites))
        self.harmless |= any(map(self._is_here, run.non_tensor_write_sites))
        self.callees |= {
            event.to for event in run.torch.trace.events if isinstance(event, Escape) and self._is_here(event.site)
        }
        for write in run.torch.trace.writes_since(0):
            if any(map(self._is_here, (write.site, *write.stack, *((write.built,) if write.built else ())))):
                self._here = True
                self._note(entry.name, write, run)
        if self._here:
            self.reached.add(names_of(entry))
        self._here = False

    def _is_here(self, site: Site) -> bool:
        return site.path == self._source.path and site.span.row in self._rows

    def _note(self, entry: str, write: Write, run: Run) -> None:
        found = facts_of(write, entry, run, self._source)
        key = (found.op, found.site, found.operand)
        known = self._writes.get(key)
        self._writes[key] = found if known is None else _together(known, found)


def _order(place: Place) -> tuple[str, int, Span]:
    return place.path, place.cell or 0, place.span


def facts_of(write: Write, entry: str, run: Run, source: Source) -> WriteFacts:
    """What one path tells of a write."""
    trace, place = run.torch.trace, source.place
    external, born = write.operand.tensor.external, write.storage.site
    return WriteFacts(
        op=write.op,
        site=place(write.site),
        operand=write.operand.text,
        made=(place(born),) if born is not None and not external else (),
        external=external,
        callers=tuple(map(place, write.stack[-1:])),
        built=place(write.built) if write.built is not None else None,
        seen_by=tuple(other_names(write, run)),
        entries=(entry,),
        refused=write.refusal.kind if write.refusal is not None else None,
        assumptions=write.refusal.assumptions if write.refusal is not None else (),
        unsure=not write.certain,
        hidden=not write.counted,
        saved=tuple(_saved(write, run, place)),
        reads=tuple(_reads(write, trace, place)),
    )


def _saved(write: Write, run: Run, place: Callable[[Site], Place]) -> Iterator[Saved]:
    """What was saved of the memory before the write, and is still."""
    trace = run.torch.trace
    passes: dict[int, tuple[Place | None, bool]] = {}
    for hidden in (False, True):
        for found in broken(trace, hidden):
            if found.write is write:
                where = place(found.backward.site) if found.backward.via != "return" else None
                passes.update({id(stale.save): (where, not hidden) for stale in found.saves})
    for save in run.torch.saved:
        after = save.until is not None and save.until < write.time
        if save.storage is write.storage and save.time < write.time and save.need and not after:
            backward, checked = passes.get(id(save), (None, True))
            yield Saved(save.op, place(save.site), id(save) in passes, backward, checked)


def _reads(write: Write, trace: Trace, place: Callable[[Site], Place]) -> Iterator[LaterRead]:
    """The reads of the overwritten memory that were judged."""
    for judged in trace.judged or ():
        if judged.write is write:
            read = judged.read
            where, name = place(read.site), read.operand.text
            yield LaterRead(where, read.reader, name, judged.reason, judged.says, judged.reported)


def _together(one: WriteFacts, other: WriteFacts) -> WriteFacts:
    """What two paths tell of the same write."""
    return replace(
        one,
        made=_union(one.made, other.made),
        external=one.external or other.external,
        callers=_union(one.callers, other.callers),
        seen_by=_union(one.seen_by, other.seen_by),
        entries=_union(one.entries, other.entries),
        refused=one.refused or other.refused,
        assumptions=_union(one.assumptions, other.assumptions),
        unsure=one.unsure and other.unsure,
        hidden=one.hidden and other.hidden,
        saved=_saves_of_both(one.saved, other.saved),
        reads=_union(one.reads, other.reads),
    )


def _saves_of_both(one: tuple[Saved, ...], other: tuple[Saved, ...]) -> tuple[Saved, ...]:
    """What was saved on either path; of a save that is read on one of them, that it is read."""
    every = _union(one, other)
    read = {(each.op, each.site) for each in every if each.read}
    return tuple(each for each in every if each.read or (each.op, each.site) not in read)


_Fact = TypeVar("_Fact")


def _union(some: tuple[_Fact, ...], more: tuple[_Fact, ...]) -> tuple[_Fact, ...]:
    return tuple(dict.fromkeys((*some, *more)))
