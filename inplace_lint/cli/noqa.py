"""`--add-noqa`: suppress the findings of today where they stand."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from inplace_lint.diagnostic import Diagnostic


def add_noqa(diagnostics: Sequence[Diagnostic]) -> None:
    """Add or extend a comment for each finding, and say how many."""
    from inplace_lint.add_noqa import noqa_edits
    from inplace_lint.fix import NotFixedError, with_edits
    from inplace_lint.reading import decode
    from inplace_lint.writing import write_atomically

    lines = files = 0
    for path, found in groupby(diagnostics, key=lambda each: each.site.path):
        here = list(found)
        try:
            with open(path, "rb") as file:
                data = file.read()
            edits = noqa_edits(decode(data, path), here) if _is_python(here) else []
            if edits:
                write_atomically(path, with_edits(data, path, edits))
        except (NotFixedError, OSError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            click.echo(f"warning: {path} is left alone: {reason}", err=True)
            continue
        lines, files = lines + len(edits), files + bool(edits)
        left = sum(not any(edit.span.row >= each.site.span.row for edit in edits) for each in here)
        if left:
            click.echo(f"warning: {path}: {left} of its findings cannot be suppressed so", err=True)
    shown = f"{lines} line{'s' * (lines != 1)} in {files} file{'s' * (files != 1)}"
    click.echo(f"Added or extended `# noqa` comments on {shown}.")


def _is_python(found: Sequence[Diagnostic]) -> bool:
    """Whether rows are those of the file: not if it is a notebook, or cannot be read."""
    return not any(each.cell or each.code == "IPL902" for each in found)
