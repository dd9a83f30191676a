"""`inplace-lint check`: from options to a report and an exit status."""

from __future__ import annotations

import atexit
import gc
import json
import os
import sys
from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any, NoReturn

import click

from inplace_lint.cli import fixing
from inplace_lint.cli.checked import Checked, about_to_check
from inplace_lint.cli.options import (
    FORMATS,
    SEVERITIES,
    GroupedCommand,
    configuration_options,
    fail,
    option,
    selection_options,
    settings,
    words,
)
from inplace_lint.cli.printing import colored, tell
from inplace_lint.cli.progress import bar, tell_timings
from inplace_lint.cli.streams import standard_input
from inplace_lint.config import Config, ConfigError
from inplace_lint.escaping import quoted_path
from inplace_lint.settings import Settings
from inplace_lint.writing import write_report

if TYPE_CHECKING:
    from inplace_lint.report import Report
    from inplace_lint.result import Result


@click.command(cls=GroupedCommand, epilog=f"Formats: {', '.join(FORMATS)}.")
@click.argument("paths", nargs=-1, metavar="[PATHS]...", type=click.Path())
@selection_options
@option("Files", "--show-files", is_flag=True, help="Only list the files to check.")
@option("Files", "--stdin-filename", metavar="PATH", help="Name of what is on standard input (`-`).")
@option("Suppression", "--ignore-noqa", is_flag=True, help="Overlook suppression comments.")
@option("Suppression", "--add-noqa", is_flag=True, help="Suppress the findings of today by comments.")
@option("Suppression", "--baseline", type=click.Path(), metavar="FILE", help="Findings that are known already.")
@option(
    "Output",
    "--output-format",
    metavar="FORMAT",
    shell_complete=words(FORMATS),
    help="How to print findings (see below).",
)
@option("Output", "-o", "--output-file", metavar="FILE", type=click.Path(dir_okay=False), help="Write there.")
@option("Output", "--statistics", is_flag=True, help="Count findings by rule.")
@option(
    "Output", "--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="When to use colours."
)
@option("Output", "-q", "--quiet", is_flag=True, help="Print findings and nothing else.")
@fixing.fix_options
@option("Output", "-v", "--verbose", is_flag=True, help="Tell what takes how long.")
@option("Run", "-w", "--watch", is_flag=True, help="Check again whenever a file changes.")
@option("Run", "-j", "--jobs", type=click.IntRange(min=1), metavar="N", help="How many processes to use.")
@option("Run", "-n", "--no-cache", is_flag=True, help="Neither use nor keep results of earlier runs.")
@option("Run", "--cache-dir", type=click.Path(file_okay=False), metavar="DIR", help="Where to keep them.")
@option("Run", "-e", "--exit-zero", is_flag=True, help="Exit with 0 despite findings.")
@option(
    "Run",
    "--fail-on",
    metavar="SEVERITY",
    shell_complete=words(SEVERITIES),
    help=f"Lowest that fails: {', '.join(SEVERITIES)}.",
)
@configuration_options
def check(paths: tuple[str, ...], **options: Any) -> None:
    """Check files, and the Python files under folders (default: `.`)."""
    paths = paths or (".",)
    if options["show_files"]:
        _show_files(paths, settings(options))
    if options["watch"]:
        _watch(paths, options)
    atexit.register(gc.freeze)  # on its way out, Python would look at everything once more
    sys.exit(_check(paths, options))


def _watch(paths: tuple[str, ...], options: dict[str, Any]) -> NoReturn:
    from inplace_lint.cli.watch import watch
    from inplace_lint.discovery import NoSuchPathError, discover

    if "-" in paths:
        fail("--watch does not go with standard input")

    def run() -> None:
        try:
            _check(paths, options)
        except (ConfigError, NoSuchPathError) as error:
            tell(f"error: {error}")

    def files() -> set[str]:
        chosen = settings(options)
        try:
            found = set(discover(paths, chosen).files)
            return found | {str(source) for file in found if (source := chosen.source(os.path.dirname(file)))}
        except (ConfigError, NoSuchPathError):
            return set()

    watch(run, files)


def _check(paths: tuple[str, ...], options: dict[str, Any]) -> int:
    """Check once, and print; the exit status."""
    chosen = settings(options)
    piped = _piped() if paths == ("-",) else None
    config = chosen.of(options["stdin_filename"] or "-") if paths == ("-",) else chosen.common(paths)
    changes = piped is None and (fixing.wanted(options) or options["add_noqa"])
    before = about_to_check(paths, chosen) if changes else Checked()
    result = _result(paths, chosen, options, piped)
    fixed = fixing.fix(result, before, chosen, options, piped)
    if fixed.status is not None:
        return fixed.status
    if fixed.contents:
        piped = next(new for _, new in fixed.contents.values()) if piped is not None else None
        before = about_to_check(paths, chosen) if changes else before
        result = _result(paths, chosen, options, piped)
    if options["add_noqa"]:
        return _add_noqa(result, before, piped)
    if not result.files and not options["quiet"]:
        tell("warning: no Python files found under the given paths")
    began = perf_counter()
    report = _rendered(_report(result, paths, options, piped, fixed.count), config, options)
    # Standard output is where the source goes that was piped in to be fixed.
    _write(report, options["output_file"], (config.root, "."), piped is not None and fixing.wanted(options))
    _tell_rest(result, config, options, perf_counter() - began)
    return 2 if fixed.failed else _status(result, config, options["exit_zero"])


def _piped() -> bytes:
    from inplace_lint.files import read_stream

    try:
        return read_stream(standard_input())
    except OSError as error:
        fail(f"standard input: cannot be read: {error.strerror}")


def _add_noqa(result: Result, before: Checked, piped: bytes | None) -> int:
    from inplace_lint.cli.noqa import add_noqa

    if piped is not None:
        fail("--add-noqa does not go with standard input")
    return 0 if add_noqa(result.diagnostics, before) else 2


def _tell_rest(result: Result, config: Config, options: dict[str, Any], reported: float) -> None:
    """What is no part of the report; that took `reported` seconds."""
    if not options["quiet"]:
        _tell_baseline(result, config)
        if options["statistics"] and result.given_up:
            _tell_given_up(result)
    if options["verbose"]:
        tell_timings(result, {"report": reported})


def _tell_given_up(result: Result) -> None:
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


def _show_files(paths: Sequence[str], chosen: Settings) -> NoReturn:
    from inplace_lint.discovery import discover

    for file in discover(paths, chosen).files:
        click.echo(quoted_path(file))
    sys.exit(0)


def _cache(paths: tuple[str, ...], chosen: Settings, options: dict[str, Any]) -> str | None:
    from inplace_lint.cache_folder import folder_for

    return None if options["no_cache"] else folder_for(chosen.common(paths))


def _result(paths: tuple[str, ...], chosen: Settings, options: dict[str, Any], piped: bytes | None) -> Result:
    from inplace_lint.baseline import read_baseline
    from inplace_lint.reading import decode
    from inplace_lint.result import Result
    from inplace_lint.runner import lint_bytes, lint_paths, without_known

    if piped is None:
        with bar(not options["quiet"]) as progress:
            return lint_paths(paths, chosen, options["jobs"], progress, _cache(paths, chosen, options))
    name = options["stdin_filename"] or "-"
    config = chosen.of(name)
    result = Result(tuple(lint_bytes(piped, name, config)), (name,))
    if config.baseline is None or not result.diagnostics:
        return result
    known = read_baseline(config.baseline)
    return without_known(result, known, chosen, lambda _: None if _is_unreadable(result) else decode(piped, name))


def _is_unreadable(result: Result) -> bool:
    return any(diagnostic.code == "IPL902" for diagnostic in result.diagnostics)


def _report(result: Result, paths: tuple[str, ...], options: dict[str, Any], piped: bytes | None, fixed: int) -> Report:
    from functools import cache

    from inplace_lint.discovery import leads_out
    from inplace_lint.reading import read_bytes, rows_as_written
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

    return Report(
        result.diagnostics,
        lines,
        colored(options),
        summary=not options["quiet"],
        cell_lines=lines,
        fixed=fixed,
        unsafe_fixes=options["unsafe_fixes"],
    )


def _rendered(report: Report, config: Config, options: dict[str, Any]) -> str:
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


def _write(text: str, file: str | None, tree: Sequence[str], to_errors: bool) -> None:
    if file:
        try:
            write_report(file, text + "\n" * (not text.endswith("\n")), tree)
        except BrokenPipeError:
            raise
        except OSError as error:
            fail(f"{file}: cannot be written: {error.strerror}")
    elif text:
        click.echo(text, nl=not text.endswith("\n"), color=True, err=to_errors)


def _status(result: Result, config: Config, exit_zero: bool) -> int:
    from inplace_lint.diagnostic import RANK

    if any(diagnostic.code == "IPL903" for diagnostic in result.diagnostics):
        return 2
    failing = any(RANK[diagnostic.severity] >= RANK[config.fail_on] for diagnostic in result.diagnostics)
    return int(failing and not exit_zero)
