"""A finding as a sequence of events, in the order of execution."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inplace_lint.findings.diagnostic import Diagnostic, Role
from inplace_lint.report.places import line_place
from inplace_lint.source.place import Site


@dataclass(frozen=True, slots=True)
class Step:
    """A place of a finding; `own` marks the finding's own."""

    message: str
    site: Site
    cell: int | None
    role: Role | None
    order: int
    own: bool = False


def story(diagnostic: Diagnostic) -> list[Step]:
    """The places of a finding in the order of execution, its own among them."""
    own = Step(diagnostic.message, diagnostic.site, diagnostic.cell, diagnostic.role, diagnostic.order, own=True)
    others = (Step(each.message, each.site, each.cell, each.role, each.order) for each in diagnostic.related)
    return sorted((own, *others), key=lambda step: step.order)


def told(diagnostic: Diagnostic) -> Iterator[str]:
    """The related places in words, one a line, then the help."""
    for each in diagnostic.related:
        yield f"{each.message}: {line_place(each.site.path, each.site.span, each.cell)}"
    if diagnostic.help:
        yield f"help: {diagnostic.help}"
