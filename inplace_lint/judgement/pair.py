"""A read, and a write to its memory that came after the value was bound."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from inplace_lint.source.place import Site
from inplace_lint.torch_model.bindings import sources
from inplace_lint.torch_model.coverage import covers, within
from inplace_lint.torch_model.events import Read, Trace, Write
from inplace_lint.torch_model.operands import Binding, Operand, Way
from inplace_lint.torch_model.regions import apart
from inplace_lint.torch_model.tensor import Tensor


@dataclass(slots=True, eq=False)
class Pair:
    """What is judged.

    Args:
        read: the read.
        write: the write before it.
        held: the binding that held what is read while it was written.
        written: the binding through which it was written.
    """

    read: Read
    write: Write
    held: Binding
    written: Binding

    @property
    def tensor(self) -> Tensor:
        """What is read."""
        return self.read.operand.tensor

    @property
    def target(self) -> Tensor:
        """What was written."""
        return self.write.operand.tensor

    @property
    def is_kept(self) -> bool:
        """Whether what is read was kept in an attribute or element, rather than a variable."""
        return self.held.kind in ("attribute", "element")

    @property
    def in_one_statement(self) -> bool:
        """Whether the statement that reads also writes."""
        return self.write.time >= self.read.statement and self.held.depth == len(self.read.stack)

    def covered(self) -> bool:
        """Whether the write surely changes something of what is read."""
        return covers(self.tensor, self.target)

    def apart(self) -> bool:
        """Whether the write surely changes nothing of what is read."""
        return apart(self.tensor.region, self.target.region)

    def within(self) -> bool:
        """Whether the write surely changes all of what is read."""
        return within(self.tensor, self.target)

    def callee(self) -> int | None:
        """When the call began in which the write happened: after the value was bound; and it was over at the read."""
        for began in self.write.calls:
            if began > self.held.bound_at and began not in self.read.calls:
                return began
        return None

    def is_given_back(self) -> bool:
        """Whether the call in which the write happened gave memory that it was given."""
        began = self.callee()
        return began is not None and self.write.gave(self.write.calls.index(began)) is None

    def is_put_back(self) -> bool:
        """Whether a call gives what it has written, and that is assigned to where the argument came from.

        That is the place that is read, or a part of it: `self.rows[i] = filled(self.rows[i])`.
        """
        write = self.write
        for link in links_of(self.written):
            if link.kind != "parameter" or not 0 < link.depth <= len(write.calls):
                continue
            call, site = write.calls[link.depth - 1], write.stack[link.depth - 1]
            spelled = write.results.put_back.get(site, ())
            given = write.storage in write.results.returned.get(call, ()) and call not in self.read.calls
            if given and any(text.startswith(self.held.label) for text in spelled) and self._is_spelled_in(link.source):
                return True
        return False

    def _is_spelled_in(self, argument: Binding | None) -> bool:
        """Whether what is read is how a caller spells an argument: `self.rows[i]` is an element of an attribute."""
        for link in links_of(argument):
            if link.place == self.held.place:
                return True
            if link.kind in ("name", "parameter"):
                return False
        return False


def links_of(binding: Binding | None) -> Iterator[Binding]:
    """A binding, and those that its value was read from, nearest first."""
    if binding is not None:
        yield binding
        yield from sources(binding)


def reached_by_attribute(way: Way | None) -> bool:
    """Whether what was taken out was found in an object, which had put it there."""
    while way is not None:
        if any(link.kind == "attribute" for link in links_of(way.binding)):
            return True
        way = way.of
    return False


def parameters(binding: Binding | None) -> set[Site | None]:
    """Where the parameters stand through which a value came."""
    return {link.site for link in links_of(binding) if link.kind == "parameter"}


def beside(read: Read, trace: Trace) -> Iterator[Operand]:
    """The other operands of the op that reads."""
    at = bisect_left(trace.events, read.time, key=lambda each: each.time)
    for step in (-1, 1):
        there = at + step
        while 0 <= there < len(trace.events):
            event = trace.events[there]
            trace.effort.spend(1)
            if not isinstance(event, Read) or (event.reader, event.statement) != (read.reader, read.statement):
                break
            if abs(event.time - read.time) != abs(there - at):
                break
            yield event.operand
            there += step
