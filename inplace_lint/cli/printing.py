"""Printing: of lines about the run, and of findings for the commands that run the user's program."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import click

from inplace_lint.cli.options import color_of_environment, fail
from inplace_lint.cli.streams import say
from inplace_lint.project.writing import write_report
from inplace_lint.report.escaping import escaped

if TYPE_CHECKING:
    from inplace_lint.findings.diagnostic import Diagnostic
    from inplace_lint.project.keys import Format


def rendered(diagnostics: Sequence[Diagnostic], format: Format, options: dict[str, Any]) -> str:
    """The findings in a format, with the source that they point at."""
    from inplace_lint.report import Report, render

    columns = width() if sys.stdout.isatty() and not options["output_file"] else None
    report = Report(diagnostics, _lines, colored(options), summary=not options["quiet"], brief=True, width=columns)
    return render(report, format)


def write_page(file: str, diagnostics: Sequence[Diagnostic], subject: str, notes: Sequence[str] = ()) -> None:
    """Write the findings of a run as a page to look at."""
    from inplace_lint.report import Report, render

    write(render(Report(diagnostics, _lines, subject=subject, notes=notes, brief=True), "html"), file)


@cache
def _lines(path: str) -> Sequence[str] | None:
    from inplace_lint.project.reading import read
    from inplace_lint.source.errors import SourceError

    try:
        return read(path).split("\n")
    except SourceError:
        return None


def tell(message: str) -> None:
    """Say something about the run on standard error."""
    from inplace_lint.report.folding import folded

    say(folded(escaped(message), width() if sys.stderr.isatty() else None))


def colored(options: dict[str, Any]) -> bool:
    """Whether to use the colours of a terminal."""
    if options["color"] != "auto":
        return bool(options["color"] == "always")
    wanted = False if options["output_file"] else color_of_environment()
    return sys.stdout.isatty() if wanted is None else wanted


def for_reading(markdown: str) -> str:
    """Markdown as a terminal shows it best; as it is where standard output goes elsewhere."""
    from inplace_lint.report.prose import laid_out

    return laid_out(markdown, width(), _paint) if sys.stdout.isatty() else markdown


def fitted(line: str, hanging: int = 2, err: bool = False) -> list[str]:
    """A line as a terminal shows it best: as several, all but the first indented further."""
    from inplace_lint.report.prose import wrapped

    terminal = (sys.stderr if err else sys.stdout).isatty()
    return wrapped(escaped(line), width(), _paint, hanging) if terminal else [escaped(line)]


def width() -> int:
    """How many columns the terminal has."""
    return shutil.get_terminal_size().columns


def _paint(text: str, style: str) -> str:
    from inplace_lint.report import painted

    return text if color_of_environment() is False else painted(text, style)


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """A table: its first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for first, *others in rows:
        cells = [f"{cell:>{width}}" for cell, width in zip(others, widths[1:], strict=True)]
        lines.append("  ".join([f"{first:<{widths[0]}}", *cells]))
    return lines


def write(text: str, file: str | None) -> None:
    """Print the text, or write it to a file."""
    if not file:
        click.echo(text, nl=not text.endswith("\n"), color=True)
        return
    try:
        write_report(file, text + "\n" * (not text.endswith("\n")), ["."])
    except OSError as error:
        fail(f"{file}: cannot be written: {error.strerror}")
