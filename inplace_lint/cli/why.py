"""`inplace-lint why FILE:LINE`: what is known of each write on a line, and why it is reported, or is not."""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from inplace_lint.cli.options import GroupedCommand, configuration_options, fail, option, rule_options, settings
from inplace_lint.report.escaping import escaped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inplace_lint.findings.diagnostic import Diagnostic
    from inplace_lint.project.settings import Settings

_PLACE = re.compile(r"(?P<path>.+?):(?P<row>[0-9]{1,9})(?::[0-9]{1,9})?")


@click.command(cls=GroupedCommand)
@click.argument("place", metavar="FILE:LINE")
@option("Output", "--output-format", type=click.Choice(["full", "json"]), default="full", help="How to print it.")
@rule_options
@configuration_options
def why(place: str, **options: Any) -> None:
    """Tell what is known of each write on a line, and why it is reported, or is not.

    The file is analyzed by itself. Nothing is executed.
    """
    from inplace_lint.project.reading import load, read
    from inplace_lint.source.errors import SourceError
    from inplace_lint.why.answer import answer
    from inplace_lint.why.text import lines

    found = _PLACE.fullmatch(place)
    if found is None:
        fail("expected a file and a line, as in `model.py:12`")
    path, row = os.path.normpath(found["path"]), int(found["row"])
    if path.endswith(".ipynb"):
        fail(f"{path}: not for notebooks")
    chosen = settings(options)
    try:
        text = read(path)
        rows = text.split("\n")
        if not 1 <= row <= len(rows):
            fail(f"{path} has {len(rows)} lines")
        given = answer(text, path, row, chosen.of(path), load, _shown(path, chosen))
    except SourceError as error:
        fail(f"{path}: {error.message}")
    if options["output_format"] == "json":
        click.echo(json.dumps(asdict(given), indent=2))
        return
    for line in lines(given, rows[row - 1]):
        click.echo(escaped(line))


def _shown(path: str, chosen: Settings) -> dict[str, Sequence[Diagnostic]]:
    """What is reported of a file, and what would be without a baseline, and without comments that suppress."""
    from inplace_lint.pipeline.lint_paths import find_all, lint_paths
    from inplace_lint.project.settings import Settings

    without_comments = Settings({**chosen.options, "ignore-noqa": True}, chosen.file, chosen.isolated)
    return {
        "reported": lint_paths([path], chosen, 1).diagnostics,
        "not shown: the baseline has it": find_all([path], chosen, 1).diagnostics,
        "not shown: a comment suppresses it": find_all([path], without_comments, 1).diagnostics,
    }
