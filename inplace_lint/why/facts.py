"""What is known of the writes on one line."""

from __future__ import annotations

from dataclasses import dataclass

from inplace_lint.source.place import Site
from inplace_lint.torch_model.events import Refused


@dataclass(frozen=True, slots=True)
class LaterRead:
    """A read of memory that was overwritten, after the value was bound.

    Args:
        site: where it is read.
        reader: what reads it.
        name: what the source calls it.
        reason: the name of what decided.
        says: that, as a sentence.
        reported: whether the read is stale.
    """

    site: Site
    reader: str
    name: str
    reason: str
    says: str
    reported: bool


@dataclass(frozen=True, slots=True)
class Saved:
    """What autograd had saved of the memory before it was written.

    Args:
        op: what saved it.
        site: where.
        read: whether a backward pass reads it after the write.
        backward: where; None if whoever gets the result runs it.
        checked: whether autograd notices that it was overwritten.
    """

    op: str
    site: Site
    read: bool = False
    backward: Site | None = None
    checked: bool = True


@dataclass(frozen=True, slots=True)
class WriteFacts:
    """What is known of a write, on all paths together.

    Args:
        op: what writes.
        site: where the op is called.
        callers: the calls that led there; the innermost of each path.
        operand: what the source calls what is written.
        memory: where the memory comes from.
        seen_by: other names for the memory.
        entries: the entry points whose runs show the write.
        built: where the module was constructed that writes, if one does.
        refused: the kind of write that PyTorch refuses, if it does.
        assumptions: what must hold for that.
        unsure: whether the memory is perhaps another one.
        hidden: whether autograd does not see the write.
        saved: what was saved of the memory before.
        reads: the reads that come after, and what decided about each.
    """

    op: str
    site: Site
    operand: str
    memory: str
    callers: tuple[Site, ...] = ()
    built: Site | None = None
    seen_by: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    refused: Refused | None = None
    assumptions: tuple[str, ...] = ()
    unsure: bool = False
    hidden: bool = False
    saved: tuple[Saved, ...] = ()
    reads: tuple[LaterRead, ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """A finding on the line, and what became of it: `reported`, or why it is not shown."""

    code: str
    column: int
    message: str
    status: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The whole answer.

    Args:
        path: the file.
        row: the line, from 1.
        findings: what is found there, shown or not.
        writes: what is written there.
        notes: why there is nothing else.
    """

    path: str
    row: int
    findings: tuple[Told, ...]
    writes: tuple[WriteFacts, ...]
    notes: tuple[str, ...]
