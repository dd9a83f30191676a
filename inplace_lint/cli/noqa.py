"""`--add-noqa` and `--add-ignore`: write comments that suppress the present findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

import click

from inplace_lint.cli.checked import Checked
from inplace_lint.cli.options import all_of, fail, option
from inplace_lint.cli.printing import tell
from inplace_lint.findings.diagnostic import Diagnostic, Edit
from inplace_lint.findings.suppress import UNSUPPRESSIBLE

if TYPE_CHECKING:
    from inplace_lint.pipeline.add_noqa import Form

comment_options = all_of(
    (
        option("Suppression", "--ignore-noqa", is_flag=True, help="Ignore suppression comments."),
        option("Suppression", "--add-noqa", is_flag=True, help="Suppress present findings by `# noqa`."),
        option(
            "Suppression",
            "--add-ignore",
            is_flag=False,
            flag_value="",
            metavar="[=REASON]",
            help="The same by our own comments.",
        ),
    )
)


def wanted(options: Mapping[str, Any]) -> bool:
    """Whether comments are to be written."""
    if options["add_noqa"] and options["add_ignore"] is not None:
        fail("--add-noqa and --add-ignore exclude each other")
    if (options["add_noqa"] or options["add_ignore"] is not None) and (options["fix_only"] or options["diff"]):
        fail("--add-noqa and --add-ignore do not go with --fix-only and --diff")
    if "\n" in (options["add_ignore"] or ""):
        fail("--add-ignore: a reason has one line")
    return bool(options["add_noqa"] or options["add_ignore"] is not None)


def add_comments(diagnostics: Sequence[Diagnostic], before: Checked, options: Mapping[str, Any]) -> bool:
    """Add or extend a comment for each finding, and say how many; False if a file could not be written."""
    from inplace_lint.pipeline.add_noqa import Form
    from inplace_lint.pipeline.apply_fixes import NotFixedError, with_edits

    form = Form() if options["add_noqa"] else Form(own=True, reason=options["add_ignore"].strip())
    lines = 0
    changed: list[str] = []
    written = True
    for path, found in groupby(diagnostics, key=lambda each: each.site.path):
        here = list(found)
        try:
            data = before.read(path)
            edits = _edits(data, path, here, form)
            if edits:
                before.replace(path, with_edits(data, path, edits))
        except NotFixedError as error:
            tell(f"warning: {path} is left alone: {error}")
            continue
        except OSError as error:
            tell(f"error: {path} cannot be written: {error.strerror}")
            written = False
            continue
        lines += len(edits)
        changed += [path] * bool(edits)
        for code in sorted({each.code for each in here} & UNSUPPRESSIBLE):
            tell(f"warning: {path}: no comment can suppress {code}")
    what = "`# inplace-lint: ignore`" if form.own else "`# noqa`"
    shown = f"{lines} line{'s' * (lines != 1)} in {len(changed)} file{'s' * (len(changed) != 1)}"
    click.echo(f"Added or extended {what} comments on {shown}.")
    if not form.own:
        _warn_of_ruff(changed)
    return written


def _warn_of_ruff(paths: Iterable[str]) -> None:
    from inplace_lint.project.ruff import configuration_that_deletes
    from inplace_lint.report.places import relative

    files = {configuration_that_deletes(path) for path in paths} - {None}
    for file in sorted(map(str, files)):
        tell(
            f'warning: {relative(file)}: ruff will delete these comments (RUF100, RUF102), unless `external = ["IPL"]` '
            "stands under `[lint]` (`[tool.ruff.lint]` in pyproject.toml); or use --add-ignore"
        )


def _edits(data: bytes, path: str, found: Sequence[Diagnostic], form: Form) -> list[Edit]:
    from inplace_lint.notebook import lines_of_cell
    from inplace_lint.pipeline.add_noqa import suppressing_edits
    from inplace_lint.project.reading import decode
    from inplace_lint.source.errors import SourceError

    edits: list[Edit] = []
    try:
        text = decode(data, path)
    except SourceError:
        return edits
    for cell, some in groupby(found, key=lambda each: each.cell):
        part = "\n".join(lines_of_cell(text, cell)) if cell else text
        edits += (replace(edit, cell=cell) for edit in suppressing_edits(part, some, form))
    return edits
