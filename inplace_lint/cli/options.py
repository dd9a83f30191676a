"""Options that several commands share, and help that is set in groups."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import Any, NoReturn, TypeVar, get_args

import click

from inplace_lint.findings.diagnostic import Severity
from inplace_lint.project.config import line_of_file
from inplace_lint.project.keys import Format
from inplace_lint.project.settings import Settings, require_own_table

_Command = TypeVar("_Command", bound=Callable[..., Any])


class _Grouped(click.Option):
    """An option that belongs under a heading of `--help`."""

    def __init__(self, *args: Any, group: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.group = group

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The option and its help; a default that is told in words stands there like any other."""
        record = super().get_help_record(ctx)
        return record and (record[0], re.sub(r"\[default: \((.*?)\)", r"[default: \1", record[1]))


class GroupedCommand(click.Command):
    """A command whose options are listed under headings."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Give an option whose value may be left out (`--name[=VALUE]`) none of the words that follow it."""
        names = {name for each in self.params if _has_default_value(each) for name in each.opts}
        options = list(takewhile(lambda each: each != "--", args))
        return super().parse_args(
            ctx, [f"{each}=" if each in names else each for each in options] + args[len(options) :]
        )

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options group by group, without blank lines, so that they fit a screen."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None and isinstance(param, _Grouped):
                name, slash, _ = record[0].partition(" / --no-")
                shown = name.replace("--", "--[no-]") if slash else name.replace(" [=", "[=")
                groups.setdefault(param.group, []).append((shown, record[1]))
        width = max(len(name) for records in groups.values() for name, _ in records)
        formatter.write_paragraph()
        for group, records in groups.items():
            formatter.write_heading(group)
            with formatter.indentation():
                formatter.write_dl([(f"{name:{width}}", help) for name, help in records], col_max=width)


def _has_default_value(param: click.Parameter) -> bool:
    return isinstance(param, click.Option) and not param.is_flag and isinstance(param.flag_value, str)


def option(group: str, *names: str, **attributes: Any) -> Callable[[_Command], _Command]:
    """A `click.option` under a heading."""
    return click.option(*names, cls=_Grouped, group=group, **attributes)


Complete = Callable[[click.Context, click.Parameter, str], list[str]]


def words(choice: Sequence[str]) -> Complete:
    """Completes one of some words in a shell."""
    return lambda _, __, incomplete: [word for word in choice if word.startswith(incomplete)]


def codes(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Completes the last of a list of rule codes in a shell."""
    from inplace_lint.findings.registry import registry

    before, comma, last = incomplete.rpartition(",")
    return [before + comma + code for code in registry() if code.startswith(last.upper())]


def list_option(group: str, name: str, help: str, complete: Complete | None = None) -> Callable[[_Command], _Command]:
    """An option that takes values behind commas, and may be given several times."""
    return option(group, name, multiple=True, metavar="LIST", help=help, shell_complete=complete)


_RULES = (
    list_option("Rules", "--select", "Codes or prefixes to enable, or ALL.", codes),
    list_option("Rules", "--extend-select", "The same, on top of what is selected.", codes),
    list_option("Rules", "--ignore", "Codes or prefixes to disable.", codes),
    list_option("Rules", "--extend-ignore", "The same as --ignore.", codes),
    list_option("Rules", "--per-file-ignores", "Pairs PATTERN:CODE."),
    list_option("Rules", "--extend-per-file-ignores", "Further pairs."),
)
_FILES = (
    list_option("Files", "--exclude", "The only patterns to leave out."),
    list_option("Files", "--extend-exclude", "Further patterns to leave out."),
    option("Files", "--force-exclude", is_flag=True, help="Leave out excluded files even if named."),
    option("Files", "--respect-gitignore/--no-respect-gitignore", default=None, help="Leave out what git ignores."),
)
_CONFIGURATION = (
    option(
        "Configuration",
        "--config",
        "configured",
        multiple=True,
        type=click.Path(),
        metavar="FILE|KEY=VALUE",
        help="Configuration file, or one of its lines.",
    ),
    option("Configuration", "--python", type=click.Path(), metavar="PATH", help="Environment of the project, or none."),
    option("Configuration", "--isolated", is_flag=True, help="Read no configuration file."),
)


def all_of(options: Sequence[Callable[[_Command], _Command]]) -> Callable[[_Command], _Command]:
    """One decorator that adds several options, in this order."""

    def decorate(command: _Command) -> _Command:
        for each in reversed(options):
            command = each(command)
        return command

    return decorate


rule_options = all_of(_RULES)
selection_options = all_of((*_RULES, *_FILES))
configuration_options = all_of(_CONFIGURATION)


def color_of_environment() -> bool | None:
    """Whether the environment asks for colours or for none; None if it leaves that to the terminal."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return True if os.environ.get("FORCE_COLOR") else None


def fail(message: str) -> NoReturn:
    """End with a message about how the command was called."""
    raise click.ClickException(message)


def settings(options: dict[str, Any]) -> Settings:
    """The configurations that the options ask for.

    Raises:
        ConfigError: the file that was named cannot be read, or has no table for this tool.
    """
    files = [each for each in options["configured"] if not _LINE.match(each) or os.path.lexists(each)]
    if files and options["isolated"]:
        fail("--config and --isolated exclude each other")
    if len(files) > 1:
        fail("--config names one file at most")
    for file in files:
        require_own_table(file)
    lines = [each for each in options["configured"] if each not in files]
    return Settings({**_lines(lines), **_given(options)}, next(iter(files), None), options["isolated"])


# How a line of a configuration file begins.
_LINE = re.compile(r"[\w-]+\s*=")


def _lines(lines: Sequence[str]) -> dict[str, object]:
    """What lines of a configuration file say, given as options."""
    said: dict[str, object] = {}
    for line in lines:
        said |= line_of_file(line)
    if "extend" in said:
        fail("--config: `extend` stands in a file only; name the file itself")
    return said


_CODES = ("select", "extend_select", "ignore", "extend_ignore", "fixable", "unfixable")


def _given(options: dict[str, Any]) -> dict[str, object]:
    """The options that were given, under the keys of the configuration file."""
    given: dict[str, object] = {}
    for name in (*_CODES, "exclude", "extend_exclude"):
        if options.get(name):
            given[name.replace("_", "-")] = _split(options[name])
    for name in ("force_exclude", "ignore_noqa", "output_format", "fail_on", "baseline", "cache_dir", "python"):
        if options.get(name):
            given[name.replace("_", "-")] = options[name]
    if options.get("respect_gitignore") is not None:
        given["respect-gitignore"] = options["respect_gitignore"]
    for name in ("per_file_ignores", "extend_per_file_ignores"):
        if options.get(name):
            key = name.replace("_", "-")
            given[key] = _pairs(_split(options[name]), key)
    return given


def _split(values: Sequence[str]) -> list[str]:
    return [item.strip() for value in values for item in value.split(",") if item.strip()]


def _pairs(items: Sequence[str], key: str) -> dict[str, list[str]]:
    """`["a.py:IPL2", "IPL3"]` is what is left of `a.py:IPL2,IPL3`."""
    pairs: dict[str, list[str]] = {}
    pattern = ""
    for item in items:
        before, colon, code = item.rpartition(":")
        pattern = before if colon else pattern
        if not pattern:
            fail(f"--{key}: expected PATTERN:CODE, not `{item}`")
        pairs.setdefault(pattern, []).append(code)
    return pairs


FORMATS = get_args(Format)
FORMATS_AND_DEFAULTS = (
    f"Formats: {', '.join(FORMATS)}. What is not given comes from the configuration: `inplace-lint config` prints it."
)
SEVERITIES = get_args(Severity)
