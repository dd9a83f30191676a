"""Diagnostics, as reports show them: the message, the related places, and the fix."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from inplace_lint.source.place import Site, Span

Severity = Literal["error", "warning", "info"]
RANK: dict[Severity, int] = {"info": 0, "warning": 1, "error": 2}
Applicability = Literal["safe", "unsafe", "display"]
Role = Literal["bind", "save", "call", "write", "read", "backward", "raise"]
"""What happens at a place: something comes to hold the memory, or is made; an op saves a tensor for backward; a call
leads to where more happens; an op writes; something reads; a backward pass runs; PyTorch raises, and says why."""


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that belongs to the story: *saved for backward here*, *read again here*.

    Args:
        message: what happens there, in words.
        site: where.
        role: what happens there.
        order: when it happens, counted from 1 among all places of the diagnostic, its own included. A rule leaves it
            0, or says with a number below or above 0 that it is before or after what its finding stands at; the
            pipeline counts.
        cell: the cell of a notebook, counted from 1.
        op: the op that saved a tensor there, as the message names it.
    """

    message: str
    site: Site
    role: Role
    order: int = 0
    cell: int | None = None
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
    """One finding, as every output format sees it.

    Args:
        code: of the rule.
        name: of the rule.
        severity: how bad it is.
        message: what is wrong.
        site: where.
        related: the other places of the story.
        help: what to do.
        fix: the change that does it.
        cell: the cell of a notebook, counted from 1.
        verdict: what a run of the program says of it.
        role: what happens at its own place; None if it is about no event.
        order: when that happens, counted from 1 among all its places.
    """

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
    role: Role | None = None
    order: int = 1

    @property
    def write_sites(self) -> tuple[Site, ...]:
        """Where it writes: at other places than its own if that is where a module was made."""
        return tuple(related.site for related in self.related if related.role == "write") or (self.site,)

    @property
    def later(self) -> tuple[Related, ...]:
        """The places where something happens after what it is about."""
        return tuple(related for related in self.related if related.order > self.order)

    @property
    def sort_key(self) -> tuple[str, int, Span, str, str]:
        """Diagnostics are printed in this order: file, position, code, message."""
        return (self.site.path, self.cell or 0, self.site.span, self.code, self.message)

    def at(self, site: Site) -> Diagnostic:
        """The same diagnostic at another place."""
        return replace(self, site=site)
