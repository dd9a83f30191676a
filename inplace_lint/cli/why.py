"""`inplace-lint why FILE:LINE`: explains each write on a line, and why it is reported or not.

`inplace-lint why FILE:LINE:COLUMN` also tells what autograd knows of the tensor there.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from inplace_lint.cli.options import GroupedCommand, configuration_options, fail, option, rule_options, settings
from inplace_lint.cli.printing import fitted
from inplace_lint.report.escaping import escaped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from inplace_lint.findings.diagnostic import Diagnostic
    from inplace_lint.knowledge.facts import Known
    from inplace_lint.project.config import Config
    from inplace_lint.project.settings import Settings
    from inplace_lint.why.facts import Answer

_PLACE = re.compile(r"(?P<path>.+?):(?P<row>[0-9]{1,9})(?::(?P<column>[0-9]{1,9}))?")
_PLACE_IN_CELL = re.compile(
    r"(?P<path>.+?\.ipynb):(?:cell )?(?P<cell>[0-9]{1,9}):(?P<row>[0-9]{1,9})(?::(?P<column>[0-9]{1,9}))?"
)


@click.command(cls=GroupedCommand)
@click.argument("place", metavar="FILE:LINE[:COLUMN]")
@option("Output", "--output-format", type=click.Choice(["full", "json"]), default="full", help="Output format.")
@option("Files", "--callers", is_flag=True, help="Check the files that import this one, too.")
@rule_options
@configuration_options
def why(place: str, **options: Any) -> None:
    """Explain each write on a line, and why it is reported or not.

    With a column, tell also what autograd knows of the tensor there. In a notebook a line is FILE:CELL:LINE, as in
    `train.ipynb:3:12`. The file is analyzed by itself; what only its callers show is told as far as the last check of
    the working folder knows, or with --callers. Nothing is executed.
    """
    from inplace_lint.project.reading import load, read, read_bytes, rows_as_written
    from inplace_lint.source.errors import SourceError
    from inplace_lint.why.answer import answer
    from inplace_lint.why.text import lines

    path, cell, row, column = _asked(place)
    chosen = settings(options)
    try:
        text = read(path)
        row = _row(text, path, cell, row)
        given = answer(text, path, row, chosen.of(path), load, _shown(text, path, chosen, options["callers"]))
        tensor = _known(text, path, row, column, chosen.of(path)) if column is not None else None
    except SourceError as error:
        fail(f"{path}: {error.message}")
    if options["output_format"] == "json":
        told = asdict(given) | ({"tensor": asdict(tensor) if tensor else None} if column is not None else {})
        click.echo(json.dumps(told, indent=2))
        return
    first, *rest = lines(given, rows_as_written(read_bytes(path), path, given.cell)[given.row - 1])
    click.echo(escaped(first))  # a line of the source, which stays as it is
    for line in (*(_of_tensor(tensor, given) if column is not None else ()), *rest):
        click.echo("\n".join(fitted(line)))


def _known(text: str, path: str, row: int, column: int, config: Config) -> Known | None:
    """What autograd knows of what stands at a place."""
    from inplace_lint.knowledge.index import knowledge_of
    from inplace_lint.knowledge.lookup import known_at
    from inplace_lint.project.reading import load

    return known_at(knowledge_of(text, path, load, config), row, column)


def _of_tensor(tensor: Known | None, given: Answer) -> Iterator[str]:
    from inplace_lint.knowledge.text import lines
    from inplace_lint.why.text import called

    if tensor is None:
        yield "  nothing here is known to be a tensor"
        return
    first, *rest = lines(tensor, lambda place: called(place, given))
    yield f"  {first}"
    yield from (f"    {line}" for line in rest)


def _asked(place: str) -> tuple[str, int | None, int, int | None]:
    """The file, the cell of a notebook, the line, and the column."""
    if (found := _PLACE_IN_CELL.fullmatch(place)) is not None:
        return _named(found["path"]), int(found["cell"]), int(found["row"]), _column(found)
    found = _PLACE.fullmatch(place)
    if found is None:
        fail("expected a file and a line, as in `model.py:12`")
    if found["path"].endswith(".ipynb"):
        fail("expected a notebook, a cell and a line, as in `train.ipynb:3:12`")
    return _named(found["path"]), None, int(found["row"]), _column(found)


def _named(path: str) -> str:
    """A path as a check of the working folder names it."""
    from inplace_lint.project.files import is_beneath

    path = os.path.normpath(path)
    return os.path.relpath(path) if os.path.isabs(path) and is_beneath(path, os.getcwd()) else path


def _column(found: re.Match[str]) -> int | None:
    return int(found["column"]) if found["column"] is not None else None


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


def _shown(text: str, path: str, chosen: Settings, callers: bool) -> dict[str, Sequence[Diagnostic]]:
    """What is reported of a file, and what would be without a baseline, and without comments that suppress.

    Of other files, `callers` are checked; else what the last check of the working folder has found in them is taken.
    """
    from inplace_lint.pipeline.baseline import read_baseline
    from inplace_lint.pipeline.importers import importers
    from inplace_lint.pipeline.lint_paths import find_all, without_known
    from inplace_lint.project.cache_folder import folder_for
    from inplace_lint.project.settings import Settings
    from inplace_lint.why.answer import REFUTED_ELSEWHERE

    cache = folder_for(chosen.common([os.curdir]))
    others = importers([path], [os.curdir], chosen) if callers else [os.curdir] if os.path.isdir(cache) else []
    paths, only = [path, *others], None if callers else {path}
    found = find_all(paths, chosen, cache=cache if others else None, only=only)
    baseline = chosen.common(paths).baseline
    known = read_baseline(baseline) if baseline is not None else None
    shown: dict[str, Sequence[Diagnostic]] = {
        "reported": (without_known(found, known, chosen) if known is not None else found).diagnostics,
        "not shown: the baseline has it": found.diagnostics,
        REFUTED_ELSEWHERE: found.refuted,
    }
    if "noqa" in text or "inplace-lint" in text:
        without_comments = Settings({**chosen.options, "ignore-noqa": True}, chosen.file, chosen.isolated)
        shown["not shown: a comment suppresses it"] = find_all(paths, without_comments, only=only).diagnostics
    return shown
