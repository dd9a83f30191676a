"""`inplace-lint why FILE:LINE`: explains each write on a line, and why it is reported or not."""

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
_PLACE_IN_CELL = re.compile(r"(?P<path>.+?\.ipynb):(?:cell )?(?P<cell>[0-9]{1,9}):(?P<row>[0-9]{1,9})(?::[0-9]{1,9})?")


@click.command(cls=GroupedCommand)
@click.argument("place", metavar="FILE:LINE")
@option("Output", "--output-format", type=click.Choice(["full", "json"]), default="full", help="Output format.")
@rule_options
@configuration_options
def why(place: str, **options: Any) -> None:
    """Explain each write on a line, and why it is reported or not.

    In a notebook a line is FILE:CELL:LINE, as in `train.ipynb:3:12`. The file is analyzed by itself. Nothing is
    executed.
    """
    from inplace_lint.project.reading import load, read
    from inplace_lint.source.errors import SourceError
    from inplace_lint.why.answer import answer
    from inplace_lint.why.text import lines

    path, cell, row = _asked(place)
    chosen = settings(options)
    try:
        text = read(path)
        row = _row(text, path, cell, row)
        given = answer(text, path, row, chosen.of(path), load, _shown(path, chosen))
    except SourceError as error:
        fail(f"{path}: {error.message}")
    if options["output_format"] == "json":
        click.echo(json.dumps(asdict(given), indent=2))
        return
    for line in lines(given, text.split("\n")[row - 1]):
        click.echo(escaped(line))


def _asked(place: str) -> tuple[str, int | None, int]:
    """The file, the cell of a notebook, and the line."""
    if (found := _PLACE_IN_CELL.fullmatch(place)) is not None:
        return os.path.normpath(found["path"]), int(found["cell"]), int(found["row"])
    found = _PLACE.fullmatch(place)
    if found is None:
        fail("expected a file and a line, as in `model.py:12`")
    if found["path"].endswith(".ipynb"):
        fail("expected a notebook, a cell and a line, as in `train.ipynb:3:12`")
    return os.path.normpath(found["path"]), None, int(found["row"])


def _row(text: str, path: str, cell: int | None, row: int) -> int:
    """The row of the text that is a line of a file, or of a cell of a notebook."""
    from inplace_lint.notebook import Layout, lines_of_cell

    layout = Layout.of(text)
    if cell is not None and cell not in layout.numbers:
        fail(f"{path} has no code cell {cell}")
    rows = text.split("\n") if cell is None else lines_of_cell(text, cell)
    if not 1 <= row <= len(rows):
        where = path if cell is None else f"cell {cell} of {path}"
        fail(f"{where} has {len(rows)} line{'s' if len(rows) != 1 else ''}")
    return row if cell is None else layout.rows[layout.numbers.index(cell)] + row


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
