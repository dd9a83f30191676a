"""The answer about one line: its writes, its findings, and why there is nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from inplace_lint.notebook import Layout
from inplace_lint.source.place import Site, Span
from inplace_lint.torch_model.events import Refused
from inplace_lint.torch_model.tensor import Assumption


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands: a span of a file, or of a cell of a notebook."""

    path: str
    span: Span
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """The file with the line that is asked about.

    Args:
        path: its name.
        layout: of a notebook, where the cells lie in its program.
    """

    path: str
    layout: Layout | None = None

    def place(self, site: Site) -> Place:
        """Where a site is: in a cell, if it is one of the notebook's program."""
        if self.layout is None or site.path != self.path:
            return Place(site.path, site.span)
        cell, span = self.layout.cell(site.span)
        return Place(site.path, span, cell)


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

    site: Place
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
    site: Place
    read: bool = False
    backward: Place | None = None
    checked: bool = True


@dataclass(frozen=True, slots=True)
class WriteFacts:
    """What is known of a write, on all paths together.

    Args:
        op: what writes.
        site: where the op is called.
        callers: the calls that led there; the innermost of each path.
        operand: what the source calls what is written.
        made: where the memory is made.
        external: whether it comes from an argument of an entry point, or from unknown code.
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
    site: Place
    operand: str
    made: tuple[Place, ...] = ()
    external: bool = False
    callers: tuple[Place, ...] = ()
    built: Place | None = None
    seen_by: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    refused: Refused | None = None
    assumptions: tuple[Assumption, ...] = ()
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
        cell: the cell of a notebook that has the line.
        findings: what is found there, shown or not.
        writes: what is written there.
        notes: why there is nothing else.
    """

    path: str
    row: int
    cell: int | None
    findings: tuple[Told, ...]
    writes: tuple[WriteFacts, ...]
    notes: tuple[str, ...]
