"""`inplace-lint check`: from options to a report and an exit status."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any, NoReturn

import click

from inplace_lint.cli import fixing, noqa
from inplace_lint.cli.checked import Checked, about_to_check
from inplace_lint.cli.options import (
    FORMATS,
    FORMATS_AND_DEFAULTS,
    SEVERITIES,
    GroupedCommand,
    configuration_options,
    fail,
    option,
    selection_options,
    settings,
    words,
)
from inplace_lint.cli.printing import tell
from inplace_lint.cli.progress import bar
from inplace_lint.cli.reporting import rendered, report_of, tell_rest, write
from inplace_lint.cli.streams import standard_input
from inplace_lint.project.config import Config, ConfigError
from inplace_lint.project.settings import Settings
from inplace_lint.report.escaping import quoted_path

if TYPE_CHECKING:
    from inplace_lint.pipeline.result import Result


@click.command(cls=GroupedCommand, epilog=FORMATS_AND_DEFAULTS)
@click.argument("paths", nargs=-1, metavar="[PATHS]...", type=click.Path())
@selection_options
@option("Files", "--show-files", is_flag=True, help="Only list the files to check.")
@option("Files", "--callers", is_flag=True, help="Also check the files that import these.")
@option("Files", "--stdin-filename", metavar="PATH", help="Read standard input, as this file.")
@noqa.comment_options
@option("Suppression", "--baseline", type=click.Path(), metavar="FILE", help="File of known findings, not to report.")
@option(
    "Output",
    "--output-format",
    metavar="FORMAT",
    shell_complete=words(FORMATS),
    show_default="full",
    help="Report format.",
)
@option("Output", "-o", "--output-file", metavar="FILE", type=click.Path(dir_okay=False), help="Write to FILE.")
@option("Output", "--statistics", is_flag=True, help="Count findings by rule.")
@option(
    "Output", "--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="When to use colours."
)
@option("Output", "-q", "--quiet", is_flag=True, help="Print findings and nothing else.")
@fixing.fix_options
@option("Output", "-v", "--verbose", is_flag=True, help="Print progress and timings.")
@option("Run", "-w", "--watch", is_flag=True, help="Check again whenever a file changes.")
@option("Run", "-j", "--jobs", type=click.IntRange(min=1), metavar="N", show_default="cores", help="Processes to use.")
@option("Run", "-n", "--no-cache", is_flag=True, help="Neither read nor write the cache.")
@option(
    "Run",
    "--cache-dir",
    type=click.Path(file_okay=False),
    metavar="DIR",
    show_default=".inplace_lint_cache",
    help="Its folder.",
)
@option("Run", "-e", "--exit-zero", is_flag=True, help="Exit with 0 despite findings.")
@option(
    "Run",
    "--fail-on",
    metavar=f"[{'|'.join(SEVERITIES)}]",
    shell_complete=words(SEVERITIES),
    show_default="info",
    help="Lowest severity that fails.",
)
@configuration_options
def check(paths: tuple[str, ...], **options: Any) -> None:
    """Check files, and the Python files under folders (default: `.`)."""
    paths = paths or (("-",) if options["stdin_filename"] else (".",))
    if options["show_files"]:
        _show_files(paths, settings(options))
    if options["watch"]:
        _watch(paths, options)
    atexit.register(gc.freeze)  # on its way out, Python would look at everything once more
    sys.exit(_check(paths, options))


def _watch(paths: tuple[str, ...], options: dict[str, Any]) -> NoReturn:
    from inplace_lint.cli.watch import watch
    from inplace_lint.project.discovery import NoSuchPathError, discover

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
    comments = noqa.wanted(options)
    _require_right_input(piped, options, comments)
    config = chosen.of(options["stdin_filename"] or "-") if paths == ("-",) else chosen.common(paths)
    changes = piped is None and (fixing.wanted(options) or comments)
    before = about_to_check(paths, chosen) if changes else Checked()
    result = _result(paths, chosen, options, piped)
    fixed = fixing.fix(result, before, chosen, options, piped)
    if fixed.status is not None:
        return fixed.status
    if fixed.contents:
        piped = next(new for _, new in fixed.contents.values()) if piped is not None else None
        before = about_to_check(paths, chosen) if changes else before
        result = _result(paths, chosen, options, piped)
    if comments:
        return 0 if noqa.add_comments(result.diagnostics, before, options) else 2
    if not result.files and not options["quiet"]:
        tell("warning: no Python files found under the given paths")
    began = perf_counter()
    report = rendered(report_of(result, paths, config, options, piped, fixed.count), config, options)
    # Standard output is where the source goes that was piped in to be fixed.
    write(report, options["output_file"], (config.root, "."), piped is not None and fixing.wanted(options))
    if not options["quiet"]:
        fixing.tell_fixes(fixed, options)
    tell_rest(result, config, options, perf_counter() - began)
    if fixed.failed:
        return 2
    return max(_status(result, config, options["exit_zero"]), int(fixing.asked_for_none(fixed, options)))


def _require_right_input(piped: bytes | None, options: dict[str, Any], comments: bool) -> None:
    """Refuse options that do not go with where the text comes from."""
    if options["stdin_filename"] and piped is None:
        fail("--stdin-filename names what is read from standard input, and no other paths go with it")
    if piped is not None and comments:
        fail("--add-noqa and --add-ignore do not go with standard input")


def _piped() -> bytes:
    from inplace_lint.project.files import read_stream

    try:
        return read_stream(standard_input())
    except OSError as error:
        fail(f"standard input: cannot be read: {error.strerror}")


def _show_files(paths: Sequence[str], chosen: Settings) -> NoReturn:
    from inplace_lint.project.discovery import discover

    for file in discover(paths, chosen).files:
        click.echo(quoted_path(file))
    sys.exit(0)


def _cache(paths: tuple[str, ...], chosen: Settings, options: dict[str, Any]) -> str | None:
    from inplace_lint.project.cache_folder import folder_for

    return None if options["no_cache"] else folder_for(chosen.common(paths))


def _result(paths: tuple[str, ...], chosen: Settings, options: dict[str, Any], piped: bytes | None) -> Result:
    from inplace_lint.pipeline.baseline import read_baseline
    from inplace_lint.pipeline.lint_file import lint_bytes
    from inplace_lint.pipeline.lint_paths import lint_paths, without_known
    from inplace_lint.pipeline.result import Result
    from inplace_lint.project.reading import decode

    if piped is None:
        callers = _callers(paths, chosen) if options["callers"] else ()
        with bar(not options["quiet"]) as progress:
            cache = _cache(paths, chosen, options)
            result = lint_paths((*paths, *callers), chosen, options["jobs"], progress, cache)
        return _about(result, paths, chosen) if options["callers"] else result
    name = options["stdin_filename"] or "-"
    config = chosen.of(name)
    result = Result(tuple(lint_bytes(piped, name, config)), (name,))
    if config.baseline is None or not result.diagnostics:
        return result
    known = read_baseline(config.baseline)
    return without_known(result, known, chosen, lambda _: None if _is_unreadable(result) else decode(piped, name))


def _callers(paths: tuple[str, ...], chosen: Settings) -> tuple[str, ...]:
    from inplace_lint.pipeline.importers import importers

    return importers(paths, (os.curdir,), chosen)


def _about(result: Result, paths: tuple[str, ...], chosen: Settings) -> Result:
    from inplace_lint.pipeline.importers import about

    return about(result, paths, chosen)


def _is_unreadable(result: Result) -> bool:
    return any(diagnostic.code == "IPL902" for diagnostic in result.diagnostics)


def _status(result: Result, config: Config, exit_zero: bool) -> int:
    from inplace_lint.findings.diagnostic import RANK

    if any(diagnostic.code == "IPL903" for diagnostic in result.diagnostics):
        return 2
    failing = any(RANK[diagnostic.severity] >= RANK[config.fail_on] for diagnostic in result.diagnostics)
    return int(failing and not exit_zero)
