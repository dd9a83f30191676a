"""`inplace-lint run SCRIPT [ARGS]...`: a program under the recorder, otherwise as with `python`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NoReturn

import click

from inplace_lint.cli.options import FORMATS, fail
from inplace_lint.cli.printing import rendered, tell, write, write_page

if TYPE_CHECKING:
    from inplace_lint.project.keys import Format
    from inplace_lint.runtime.run import Run


@click.command(
    context_settings={"allow_interspersed_args": False},
    epilog=f"Formats: {', '.join(FORMATS)}.",
)
@click.option("-m", "as_module", is_flag=True, help="PROGRAM is a module, as for `python -m`.")
@click.option("--strict", is_flag=True, help="Raise where PyTorch should have: a silent write to what backward reads.")
@click.option("--output-format", type=click.Choice(FORMATS), default="full", metavar="FORMAT", help="See below.")
@click.option("-o", "--output-file", type=click.Path(dir_okay=False), metavar="FILE", help="Write findings to FILE.")
@click.option("--report", type=click.Path(dir_okay=False), metavar="FILE", help="Write a page to look at (HTML).")
@click.argument("program")
@click.argument("arguments", nargs=-1, metavar="[ARGS]...", type=click.UNPROCESSED)
def run(
    as_module: bool,
    strict: bool,
    output_format: Format,
    output_file: str | None,
    report: str | None,
    program: str,
    arguments: tuple[str, ...],
) -> NoReturn:
    """Run a script, and explain PyTorch's errors about in-place operations.

    The program runs as with `python PROGRAM ARGS...`. When a backward pass finds a saved tensor
    modified, this prints which line saved the tensor, which modified it, and which backward reads
    it; then the error propagates. The exit status is the program's own.
    """
    # The program may change the folder.
    output_file, report = (os.path.abspath(file) if file else None for file in (output_file, report))
    try:
        from inplace_lint.runtime.program import NoProgramError, module, script
        from inplace_lint.runtime.run import run as record
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise click.ClickException(str(error)) from error
    try:
        ended = record((module if as_module else script)(program, arguments), strict)
    except NoProgramError as error:
        fail(str(error))
    _tell(ended, output_format, output_file)
    if report:
        write_page(report, ended.diagnostics, f"run {program}", [_how(ended)])
    if ended.error is None:
        sys.exit(0)
    if isinstance(ended.error, SystemExit):
        sys.exit(ended.error.code)
    sys.excepthook(type(ended.error), ended.error, ended.error.__traceback__)
    sys.exit(130 if isinstance(ended.error, KeyboardInterrupt) else 1)


def _how(ended: Run) -> str:
    """How a program ended, in a line."""
    if ended.error is None:
        return "It ran to its end."
    return f"It ended with {type(ended.error).__name__}: {str(ended.error).partition(' Hint:')[0]}"


def _tell(ended: Run, format: Format, file: str | None) -> None:
    from inplace_lint.runtime.child import by_rank
    from inplace_lint.runtime.watch import UNSEEN

    sys.stdout.flush()
    color = sys.stderr.isatty() and not os.environ.get("NO_COLOR")
    options = {"quiet": True, "color": "always" if color and not file else "never"}
    if file:
        write(rendered(ended.diagnostics, format, options), file)
    elif ended.diagnostics:
        click.echo(by_rank(rendered(ended.diagnostics, format, options)), err=True, color=color)
    if ended.unexplained:
        tell(by_rank(f"note: {UNSEEN}"))
