"""Diagnostics, as reports show them: the message, the related places, and the fix."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from inplace_lint.source.place import Site, Span

Severity = Literal["error", "warning", "info"]
RANK: dict[Severity, int] = {"info": 0, "warning": 1, "error": 2}
Applicability = Literal["safe", "unsafe", "display"]
RelatedKind = Literal["saved", "backward", "write"]
"""Places that a program may want to tell apart: an op saved a tensor, a backward pass reads what was saved, an op
writes."""


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that belongs to the story: *saved for backward here*, *read again here*.

    Args:
        message: what happens there.
        site: where.
        after: whether it happens after what the diagnostic is about, rather than before.
        cell: the cell of a notebook, counted from 1.
        kind: what sort of place it is, if it is one of those that have a name.
        op: the op that saved a tensor there, as the message names it.
    """

    message: str
    site: Site
    after: bool = False
    cell: int | None = None
    kind: RelatedKind | None = None
    op: str | None = None


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text under `span` (of the diagnostic's own file, or of a cell of it) by `content`."""

    span: Span
    content: str
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Fix:
    """A change that removes the hazard."""

    applicability: Applicability
    message: str
    edits: tuple[Edit, ...]


Reason = Literal["paths", "effort", "imports", "size", "failure"]
"""Why something was not followed to its end: it has more paths than are followed, all that a file may cost was
spent, it imports too much, it is too large to be read, or inplace-lint failed there."""


@dataclass(frozen=True, slots=True)
class GivenUp:
    """What was not followed to its end: a function, `<module>`, `<imports>`, `<fixes>` or `<file>`; and why."""

    name: str
    reason: Reason
    path: str = ""

    def __str__(self) -> str:
        return f"{self.path}: {self.name} ({_REASONS[self.reason]})"


_REASONS: dict[Reason, str] = {
    "paths": "it has more paths than are followed",
    "effort": "all that its file may cost was spent",
    "imports": "they are more lines than are read",
    "size": "it holds more than is read",
    "failure": "inplace-lint failed there",
}


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding, as every output format sees it; `verdict` is what a run of the program says of it."""

    code: str
    name: str
    severity: Severity
    message: str
    site: Site
    related: tuple[Related, ...] = ()
    help: str | None = None
    fix: Fix | None = None
    cell: int | None = None
    verdict: str | None = None

    @property
    def write_sites(self) -> tuple[Site, ...]:
        """Where it writes: at other places than its own if that is where a module was made."""
        return tuple(related.site for related in self.related if related.kind == "write") or (self.site,)

    @property
    def sort_key(self) -> tuple[str, int, Span, str, str]:
        """Diagnostics are printed in this order: file, position, code, message."""
        return (self.site.path, self.cell or 0, self.site.span, self.code, self.message)

    def at(self, site: Site) -> Diagnostic:
        """The same diagnostic at another place."""
        return replace(self, site=site)
