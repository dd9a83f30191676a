"""`inplace-lint check`: from options to a report and an exit status."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, get_args

import click

from inplace_lint import config as configuration
from inplace_lint.config import Config, Format
from inplace_lint.diagnostic import Severity

if TYPE_CHECKING:
    from inplace_lint.report import Report
    from inplace_lint.runner import Result


_Command = TypeVar("_Command", bound=Callable[..., Any])


def fail(message: str) -> NoReturn:
    """End with a message about how the command was called."""
    raise click.UsageError(message)


def _list(name: str, help: str) -> Callable[[_Command], _Command]:
    return click.option(name, multiple=True, metavar="LIST", help=help)


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATHS]...")
@_list("--select", "Rule codes or prefixes to enable, or ALL.")
@_list("--extend-select", "The same, on top of those that are selected.")
@_list("--ignore", "Rule codes or prefixes to disable.")
@_list("--extend-ignore", "The same as --ignore.")
@_list("--per-file-ignores", "Pairs PATTERN:CODE.")
@_list("--exclude", "Patterns to leave out, in place of the default ones.")
@_list("--extend-exclude", "Patterns to leave out, too.")
@click.option("--force-exclude", is_flag=True, help="Leave out excluded files even if named.")
@click.option("--respect-gitignore/--no-respect-gitignore", default=None, help="Leave out what git ignores.")
@click.option("--ignore-noqa", is_flag=True, help="Overlook comments that suppress findings.")
@click.option("--output-format", metavar="FORMAT", help=f"One of {', '.join(get_args(Format))}.")
@click.option("-o", "--output-file", type=click.Path(dir_okay=False), help="Write there, not to the terminal.")
@click.option("--statistics", is_flag=True, help="Count findings by rule.")
@click.option("--show-files", is_flag=True, help="Only list the files that would be checked.")
@click.option("--stdin-filename", metavar="PATH", help="Name of the source on standard input (`-`).")
@click.option("-j", "--jobs", type=click.IntRange(min=1), help="How many processes to use.")
@click.option("-n", "--no-cache", is_flag=True, help="Keep no results between runs (none are kept yet).")
@click.option("-e", "--exit-zero", is_flag=True, help="Exit with 0 even if there are findings.")
@click.option("--fail-on", metavar="SEVERITY", help=f"Lowest severity for exit 1: {', '.join(get_args(Severity))}.")
@click.option("--config", "config_file", type=click.Path(), help="Configuration file to use.")
@click.option("--isolated", is_flag=True, help="Read no configuration file.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="When to use colours.")
@click.option("-q", "--quiet", is_flag=True, help="Print findings and nothing else.")
def check(paths: tuple[str, ...], **options: Any) -> None:
    """Check files, and the Python files under folders (default: the working folder)."""
    paths = paths or (".",)
    config = _config(paths, options)
    if options["show_files"]:
        _show_files(paths, config)
    piped = sys.stdin.buffer.read() if paths == ("-",) else None
    result = _result(paths, config, options, piped)
    if not result.files and not options["quiet"]:
        click.echo("warning: no Python files found under the given paths", err=True)
    report = _report(result, options, piped)
    try:
        _write(_rendered(report, config, options), options["output_file"])
        if options["statistics"] and result.given_up and not options["quiet"]:
            shown = "".join(f"\n  {name}" for name in result.given_up[:10])
            click.echo(f"not every path was followed in {len(result.given_up)} functions:{shown}", err=True)
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        fail(f"{options['output_file']}: cannot be written: {error.strerror}")
    sys.exit(_status(result, config, options["exit_zero"]))


def _config(paths: Sequence[str], options: dict[str, Any]) -> Config:
    if options["config_file"] and options["isolated"]:
        fail("--config and --isolated exclude each other")
    if options["config_file"]:
        file = Path(options["config_file"])
    elif options["isolated"]:
        file = None
    else:
        file = configuration.find(configuration.common_folder(paths))
    settings = configuration.load(file) if file else Config(root=os.getcwd())
    return configuration.override(settings, _given(options))


def _given(options: dict[str, Any]) -> dict[str, object]:
    """The options that were given, under the keys of the configuration file."""
    given: dict[str, object] = {}
    for name in ("select", "extend_select", "ignore", "extend_ignore", "exclude", "extend_exclude"):
        if options[name]:
            given[name.replace("_", "-")] = _split(options[name])
    for name in ("force_exclude", "ignore_noqa", "output_format", "fail_on"):
        if options[name]:
            given[name.replace("_", "-")] = options[name]
    if options["respect_gitignore"] is not None:
        given["respect-gitignore"] = options["respect_gitignore"]
    if options["per_file_ignores"]:
        given["per-file-ignores"] = _pairs(_split(options["per_file_ignores"]))
    return given


def _split(values: Sequence[str]) -> list[str]:
    return [item.strip() for value in values for item in value.split(",") if item.strip()]


def _pairs(items: Sequence[str]) -> dict[str, list[str]]:
    """`["a.py:IPL2", "IPL3"]` is what is left of `a.py:IPL2,IPL3`."""
    pairs: dict[str, list[str]] = {}
    pattern = ""
    for item in items:
        before, colon, code = item.rpartition(":")
        pattern = before if colon else pattern
        if not pattern:
            fail(f"--per-file-ignores: expected PATTERN:CODE, not `{item}`")
        pairs.setdefault(pattern, []).append(code)
    return pairs


def _show_files(paths: Sequence[str], config: Config) -> NoReturn:
    from inplace_lint.discovery import discover

    for file in discover(paths, config).files:
        click.echo(file)
    sys.exit(0)


def _result(paths: tuple[str, ...], config: Config, options: dict[str, Any], piped: bytes | None) -> Result:
    from inplace_lint.runner import Result, lint_bytes, lint_paths

    if piped is None:
        return lint_paths(paths, config, options["jobs"])
    name = options["stdin_filename"] or "-"
    return Result(tuple(lint_bytes(piped, name, config)), (name,))


def _report(result: Result, options: dict[str, Any], piped: bytes | None) -> Report:
    from functools import cache

    from inplace_lint.reading import decode, read
    from inplace_lint.report import Report
    from inplace_lint.source.errors import SourceError

    @cache
    def lines(path: str) -> Sequence[str] | None:
        try:
            given = piped is not None and path == (options["stdin_filename"] or "-")
            # Not `splitlines`: Python counts rows by newlines alone, form feeds do not end a line.
            return (decode(piped or b"", path) if given else read(path)).split("\n")
        except SourceError:
            return None

    return Report(result.diagnostics, lines, _colored(options), summary=not options["quiet"])


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


def _colored(options: dict[str, Any]) -> bool:
    if options["color"] != "auto":
        return bool(options["color"] == "always")
    if os.environ.get("NO_COLOR") or options["output_file"] or os.environ.get("TERM") == "dumb":
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (sys.stdout is not None and sys.stdout.isatty())


def _write(text: str, file: str | None) -> None:
    if file:
        Path(file).write_text(text + "\n" * (not text.endswith("\n")), "utf-8", errors="replace")
    elif text:
        click.echo(text, nl=not text.endswith("\n"), color=True)


def _status(result: Result, config: Config, exit_zero: bool) -> int:
    from inplace_lint.runner import RANK

    if any(diagnostic.code == "IPL903" for diagnostic in result.diagnostics):
        return 2
    failing = any(RANK[diagnostic.severity] >= RANK[config.fail_on] for diagnostic in result.diagnostics)
    return int(failing and not exit_zero)
