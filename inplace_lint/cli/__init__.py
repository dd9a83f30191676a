"""The command line; the only place that prints or exits.

Each command is a module of its own, imported only when it is called or listed.
"""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from itertools import takewhile
from typing import NoReturn

import click
from click.shell_completion import CompletionItem

from inplace_lint.cli.options import color_of_environment
from inplace_lint.cli.printing import tell
from inplace_lint.cli.streams import let_go, replace_closed, told
from inplace_lint.project.config import ConfigError
from inplace_lint.version import __version__

# Command, the module that has it, and what `--help` says of it.
COMMANDS = {
    "check": ("check", "Check files, and the Python files under folders."),
    "rule": ("rules", "Explain a rule: what it finds, why it matters, and the cure."),
    "rules": ("rules", "List all rules."),
    "baseline": ("baseline", "Record the present findings, so that later runs show only new ones."),
    "confirm": ("confirm", "Run a model, and let PyTorch confirm or refute the findings."),
    "run": ("run", "Run a program, and show the lines behind PyTorch's errors."),
    "why": ("why", "Explain the writes on a line, and why it is reported or not."),
    "explain": ("explain", "Find the line behind an error that PyTorch printed."),
    "model": ("model", "Describe what a library does to tensors, for projects checked without it."),
    "memory": ("memory", "Measure the memory that in-place operations save."),
    "server": ("server", "Start the language server, for editors."),
    "clean": ("clean", "Delete the cache."),
    "config": ("config", "Print the configuration in force, and the source of each value."),
}

# What other tools have as commands.
_MEANT = {"help": "--help", "version": "--version"}


def _require_clear(args: Sequence[str]) -> None:
    """Refuse a word that is an option, and a file here: who passes names of files on may have meant either."""
    for word in takewhile(lambda each: each != "--", args):
        if len(word) > 1 and word.startswith("-") and os.path.lexists(word):
            raise click.UsageError(f"`{word}` is a file here, and looks like an option: rename it, or write `./{word}`")


def _require_no_slip(word: str) -> None:
    """Refuse a first word that is no file, and looks like a command."""
    if word in COMMANDS or not re.fullmatch(r"[a-z]+", word) or os.path.lexists(word):
        return
    near = _MEANT.get(word) or next(iter(get_close_matches(word, COMMANDS, 1, 0.6)), None)
    if near is not None:
        raise click.UsageError(f"no such command, file or folder: {word}; did you mean `{near}`?")


class _Commands(click.Group):
    """`inplace-lint src/` is `inplace-lint check src/`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not ctx.resilient_parsing:
            _require_clear(args)
        own = {name for option in self.get_params(ctx) for name in option.opts}
        completing = ctx.resilient_parsing and not args
        if args and not ctx.resilient_parsing:
            _require_no_slip(args[0])
        if not completing and (not args or args[0] not in own | COMMANDS.keys()):
            args = ["check", *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        check = self.get_command(ctx, "check")
        assert check is not None
        return super().shell_complete(ctx, incomplete) + check.shell_complete(ctx, incomplete)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command = getattr(import_module(f"inplace_lint.cli.{COMMANDS[name][0]}"), name)
        return command if isinstance(command, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, help) for name, (_, help) in COMMANDS.items()])


_CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 110, "show_default": True}


@click.group(cls=_Commands, context_settings=_CONTEXT)
@click.version_option(__version__, "-V", "--version", prog_name="inplace-lint", message="%(prog)s %(version)s")
@click.pass_context
def cli(context: click.Context) -> None:
    """Find in-place operations that break PyTorch's autograd, before the program runs.

    `inplace-lint PATH...` is short for `inplace-lint check PATH...`; exit status 0: clean,
    1: findings, 2: misuse or an internal error.
    """
    context.color = color_of_environment()


def _tell(error: click.ClickException) -> None:
    """Say in one line what is wrong with the command line; click takes four."""
    hint = ""
    if isinstance(error, click.UsageError) and error.ctx is not None:
        hint = f" (see `{error.ctx.command_path} --help`)"
    tell(f"error: {error.format_message().rstrip('.')}{hint}")


def main(args: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit."""
    replace_closed()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal without Unicode gets `?`, not a crash
            stream.reconfigure(errors="replace")
    try:
        cli.main(args, prog_name="inplace-lint", standalone_mode=False)
        sys.exit(0)
    except click.ClickException as error:
        _tell(error)
        sys.exit(2)
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        let_go(sys.stdout)
        sys.exit(1)
    except (KeyboardInterrupt, click.Abort):
        tell("interrupted")
        os._exit(130)  # at once: worker processes see their pipe close
    except (ConfigError, FileNotFoundError) as error:
        tell(f"error: {error}")
        sys.exit(2)
    except OSError as error:  # a full disk, too few descriptors: what this program lacks, and no fault of it
        tell(f"error: {told(error)}")
        sys.exit(2)
    except Exception:
        for line in traceback.format_exc().rstrip("\n").split("\n"):
            tell(line)
        tell("error: inplace-lint failed; please report this as a bug")
        sys.exit(2)
