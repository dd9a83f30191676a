"""Stale reads: reads that observe a write made after the value was bound, and hardly meant to be seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import takewhile

from inplace_lint.effort import STEP
from inplace_lint.judgement.broken_saves import broken
from inplace_lint.judgement.classify import classify, stale_kind
from inplace_lint.judgement.collected_again import COLLECTED_AGAIN, judge_collected_again
from inplace_lint.judgement.exemptions import REPLACED, exemption
from inplace_lint.judgement.held_apart import judge_held_apart
from inplace_lint.judgement.reason import Reason, StaleKind
from inplace_lint.judgement.second_names import STILL_NETWORK, second_network
from inplace_lint.judgement.shared import refetched, shared_writes
from inplace_lint.source.place import Site
from inplace_lint.torch_model.bindings import sources
from inplace_lint.torch_model.events import Detach, Judged, Read, Trace, Write
from inplace_lint.torch_model.op_names import ACCUMULATE, LATER_USE
from inplace_lint.torch_model.operands import Binding


@dataclass(frozen=True, slots=True)
class StaleRead:
    """A read through a binding that was bound before a write through another way to the memory.

    `held` is the binding through which the value came that was still there during the write; `network` the second
    name of a network that is trained by its first one.
    """

    read: Read
    write: Write
    how: StaleKind
    held: Binding
    network: Binding | None = None

    @property
    def in_view(self) -> bool:
        """Whether the program shows the read, and does not only keep what will be read."""
        return self.read.reader != LATER_USE

    @property
    def name(self) -> str:
        """What is read goes by this name: not by that of what was written, if there was another."""
        binding = self.read.operand.binding
        labels = [link.label for link in (binding, *sources(binding))] if binding is not None else [""]
        return next((label for label in labels if label and label != self.write.operand.text), labels[0])


def stale_reads(trace: Trace) -> Iterable[StaleRead]:
    """Reads of overwritten values that the author can hardly have meant; the first for each write."""
    return trace.once(_stale_reads)


# Units of effort for holding a write against a read.
_A_PAIR = 5 * STEP


def _stale_reads(trace: Trace) -> Iterator[StaleRead]:
    told = _Told({id(found.write) for found in broken(trace)})
    told.writes |= {id(write) for write, _ in shared_writes(trace)} | {id(write) for write in refetched(trace)}
    for read in trace.events:
        if not isinstance(read, Read) or read.operand.binding is None:
            continue
        storage = read.operand.tensor.storage
        for write in storage.latest(read.time):
            if id(write) in told.writes or write.storage is not storage:
                continue
            trace.effort.spend(_A_PAIR)
            found = _judged(read, write, trace)
            if found is not None and told.is_first(found):
                yield found


@dataclass(slots=True)
class _Told:
    """What was reported: writes, the places and storages of chains of them, and where what is read was kept."""

    writes: set[int]
    chains: set[tuple[object, ...]] = field(default_factory=set)
    kept: set[Site | None] = field(default_factory=set)

    def is_first(self, found: StaleRead) -> bool:
        """Whether it tells of a cause that no other has told of."""
        write, held = found.write, found.held
        self.writes.add(id(write))
        if write.chain in self.chains or (held.site in self.kept and write.op == ACCUMULATE):
            return False  # `x.relu_().mul_(2)` is one cause, and so is a gradient that is cleared and filled again
        self.chains.add(write.chain)
        self.kept.add(held.site)
        return True


def _judged(read: Read, write: Write, trace: Trace) -> StaleRead | None:
    held = binding_at_write(read, write)
    if held is None:
        return None
    reason = verdict(read, held, write, trace)
    how = stale_kind(reason, held)
    if trace.judged is not None:
        trace.judged.append(Judged(read, write, reason.name, reason.says, how is not None))
    network = second_network(read, held, write) if reason is STILL_NETWORK else None
    return StaleRead(read, write, how, held, network) if how is not None else None


def verdict(read: Read, held: Binding, write: Write, trace: Trace) -> Reason:
    """What decides whether a read is stale that comes after a write; `held` held what is read during the write."""
    reason = classify(read, held, write)
    reason = judge_collected_again(reason, read, held, write, trace) or reason
    reason = judge_held_apart(reason, read, held, write, trace) or reason
    how = stale_kind(reason, held)
    exempt = exemption(read, write, held, how, trace) if how is not None else None
    if exempt is REPLACED and reason is COLLECTED_AGAIN:
        return reason  # Each turn of the loop replaces what the one before has collected.
    return reason if exempt is None else exempt


def _is_bound_anew(name: Binding, before: Binding) -> bool:
    """Whether a name was bound once more, as `x, lam = mixed(x)` goes on with what the call gave back."""
    if name is before or name.place != before.place or name.kind != "name" or name.site == before.site:
        return False
    return any(link.by_call or link.is_result for link in takewhile(lambda link: link is not before, sources(name)))


def binding_at_write(read: Read, write: Write | Detach) -> Binding | None:
    """The binding that held what is read while it was overwritten; a value may have gone through several."""
    until, first = read.time, read.operand.binding
    if write.time <= read.operand.tensor.moved_at < until:
        return None  # What was written was no memory of it yet.
    for binding in [first, *sources(first)] if first is not None else ():
        if binding.bound_at > until:
            if binding.by_call:
                continue  # A call has given what is there, in a container that it had made before it ended.
            return None  # The place was given other memory since.
        if binding.bound_at < write.time < until:
            return None if first is not None and _is_bound_anew(first, binding) else binding
        if binding.is_result and binding.produced_from < write.time:
            return None
        until = binding.bound_at
    return None
