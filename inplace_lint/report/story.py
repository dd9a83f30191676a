"""A finding as a sequence of events, in the order of execution."""

from __future__ import annotations

from collections.abc import Iterator

from inplace_lint.findings.diagnostic import Diagnostic, Related
from inplace_lint.report.place import line_place


def story(diagnostic: Diagnostic) -> tuple[Related, ...]:
    """The places of a finding in the order of execution, itself among them."""
    before = [each for each in diagnostic.related if not each.after]
    after = [each for each in diagnostic.related if each.after]
    return (*before, Related(diagnostic.message, diagnostic.site, cell=diagnostic.cell), *after)


def told(diagnostic: Diagnostic) -> Iterator[str]:
    """The related places in words, one a line, then the help."""
    for each in diagnostic.related:
        yield f"{each.message}: {line_place(each.site.path, each.site.span, each.cell)}"
    if diagnostic.help:
        yield f"help: {diagnostic.help}"
