"""`--add-noqa`: writes comments that suppress the present findings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

import click

from inplace_lint.cli.checked import Checked
from inplace_lint.cli.printing import tell
from inplace_lint.findings.diagnostic import Diagnostic, Edit
from inplace_lint.findings.suppress import UNSUPPRESSIBLE


def add_noqa(diagnostics: Sequence[Diagnostic], before: Checked) -> bool:
    """Add or extend a comment for each finding, and say how many; False if a file could not be written."""
    from inplace_lint.pipeline.apply_fixes import NotFixedError, with_edits

    lines = files = 0
    written = True
    for path, found in groupby(diagnostics, key=lambda each: each.site.path):
        here = list(found)
        try:
            data = before.read(path)
            edits = _edits(data, path, here)
            if edits:
                before.replace(path, with_edits(data, path, edits))
        except NotFixedError as error:
            tell(f"warning: {path} is left alone: {error}")
            continue
        except OSError as error:
            tell(f"error: {path} cannot be written: {error.strerror}")
            written = False
            continue
        lines, files = lines + len(edits), files + bool(edits)
        for code in sorted({each.code for each in here} & UNSUPPRESSIBLE):
            tell(f"warning: {path}: no comment can suppress {code}")
    shown = f"{lines} line{'s' * (lines != 1)} in {files} file{'s' * (files != 1)}"
    click.echo(f"Added or extended `# noqa` comments on {shown}.")
    return written


def _edits(data: bytes, path: str, found: Sequence[Diagnostic]) -> list[Edit]:
    from inplace_lint.notebook import lines_of_cell
    from inplace_lint.pipeline.add_noqa import noqa_edits
    from inplace_lint.project.reading import decode
    from inplace_lint.source.errors import SourceError

    edits: list[Edit] = []
    try:
        text = decode(data, path)
    except SourceError:
        return edits
    for cell, some in groupby(found, key=lambda each: each.cell):
        part = "\n".join(lines_of_cell(text, cell)) if cell else text
        edits += (replace(edit, cell=cell) for edit in noqa_edits(part, some))
    return edits
