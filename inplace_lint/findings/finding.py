"""A finding: what a rule found on one path."""

from __future__ import annotations

from dataclasses import dataclass

from inplace_lint.findings.cure import (
    Cure,
)
from inplace_lint.findings.diagnostic import Related, Severity
from inplace_lint.source.place import Site


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule found on one path. The pipeline adds the code, and merges equal findings.

    `assumed` marks one that rests on something not known of the entry point's arguments; `cures`
    say what would help, best first.
    """

    site: Site
    message: str
    severity: Severity
    related: tuple[Related, ...] = ()
    help: str | None = None
    assumed: bool = False
    cures: tuple[Cure, ...] = ()
