"""What `inplace-lint check` prints: the report of a run, and notes about the run."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from inplace_lint.cli.options import (
    fail,
)
from inplace_lint.cli.printing import colored, tell, width
from inplace_lint.cli.progress import tell_slowest, tell_timings
from inplace_lint.project.config import Config
from inplace_lint.project.writing import write_report

if TYPE_CHECKING:
    from inplace_lint.pipeline.result import Result
    from inplace_lint.report import Report

# So many seconds are much for one file.
_SLOW = 0.5


def report_of(
    result: Result, paths: tuple[str, ...], config: Config, options: dict[str, Any], piped: bytes | None, fixed: int
) -> Report:
    """The report of a run, with the source that it shows; `fixed` findings are fixed already."""
    from functools import cache

    from inplace_lint.project.discovery import leads_out
    from inplace_lint.project.reading import read_bytes, rows_as_written
    from inplace_lint.report import Report
    from inplace_lint.source.errors import SourceError

    @cache
    def lines(path: str, cell: int | None = None) -> Sequence[str] | None:
        try:
            given = piped is not None and path == (options["stdin_filename"] or "-")
            if not given and leads_out(path, paths):
                return None  # whoever made the link may not be one who may read the file
            return rows_as_written(piped or b"" if given else read_bytes(path), path, cell)
        except SourceError:
            return None

    on_terminal = not options["output_file"] and sys.stdout.isatty()
    return Report(
        result.diagnostics,
        lines,
        colored(options),
        summary=not options["quiet"],
        cell_lines=lines,
        fixed=fixed,
        unsafe_fixes=options["unsafe_fixes"],
        docs_url=config.docs_url,
        links=on_terminal,
        width=width() if on_terminal else None,
    )


def rendered(report: Report, config: Config, options: dict[str, Any]) -> str:
    """A report in the format that is asked for, or a table of its rules."""
    from inplace_lint.report import render
    from inplace_lint.report.summary import statistics

    format = config.output_format or ("github" if os.environ.get("GITHUB_ACTIONS") == "true" else "full")
    if not options["statistics"]:
        return render(report, format)
    table = statistics(report)
    if format.startswith("json"):
        return json.dumps([{"code": code, "name": name, "count": count} for count, code, name in table], indent=2)
    width = max((len(str(count)) for count, _, _ in table), default=0)
    return "\n".join(f"{count:{width}}  {code}  {name}" for count, code, name in table)


def write(text: str, file: str | None, tree: Sequence[str], to_errors: bool) -> None:
    """Print a text, or write it to a file, which may lie anywhere but at a link that leads out of `tree`."""
    if file:
        try:
            write_report(file, text + "\n" * (not text.endswith("\n")), tree)
        except BrokenPipeError:
            raise
        except OSError as error:
            fail(f"{file}: cannot be written: {error.strerror}")
    elif text:
        click.echo(text, nl=not text.endswith("\n"), color=True, err=to_errors)


def tell_rest(result: Result, config: Config, options: dict[str, Any], reported: float) -> None:
    """What is no part of the report; that took `reported` seconds."""
    if not options["quiet"]:
        _tell_baseline(result, config)
        if options["statistics"]:
            _tell_coverage(result)
            _tell_given_up(result)
    if options["verbose"]:
        tell_timings(result, {"report": reported})
    if options["verbose"] or options["statistics"]:
        tell_slowest(result, least=0.0 if options["verbose"] else _SLOW)


def _tell_coverage(result: Result) -> None:
    """How many writes were run, and a few that were not: `inplace-lint why` tells the reason."""
    writes = sum(each.writes for each in result.coverage.values())
    if not writes:
        return
    missed = [f"{path}:{row}" for path, each in result.coverage.items() for row in each.missed]
    reached = writes - len(missed)
    share = 100 * reached / writes
    tell(f"{reached} of {writes} writes were reached ({share:.1f} %){', not these:' if missed else '.'}")
    for place in missed[:10]:
        tell(f"  {place}")


def _tell_given_up(result: Result) -> None:
    if not result.given_up:
        return
    count = len(result.given_up)
    what = "1 place was" if count == 1 else f"{count} places were"
    tell(f"{what} not followed to the end:")
    for each in result.given_up[:10]:
        tell(f"  {each}")


def _tell_baseline(result: Result, config: Config) -> None:
    if result.known:
        known = "1 known finding is" if result.known == 1 else f"{result.known} known findings are"
        tell(f"{known} not shown ({os.path.relpath(config.baseline or '')})")
    if result.stale:
        one = result.stale == 1
        gone = "1 finding of the baseline is" if one else f"{result.stale} findings of the baseline are"
        hint = f"`inplace-lint baseline --update` takes {'it' if one else 'them'} out"
        tell(f"{gone} gone; {hint}")
