"""What `confirm` and `memory` share: the target, its inputs, and where the user's code may print."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING, Any, TypeVar

import click

from inplace_lint.cli.options import fail, option

if TYPE_CHECKING:
    from inplace_lint.runtime.target import Target

_Command = TypeVar("_Command", bound=Callable[..., Any])

_TARGET = (
    option("Target", "--input", "inputs", multiple=True, metavar="NAME=VALUE", help="Input, as in x=randn(2,3,32,32)."),
    option("Target", "--init", multiple=True, metavar="NAME=VALUE", help="Constructor argument; a word is a string."),
    option("Target", "--hf-config", metavar="JSON", help="Configuration of a Transformers model: JSON, file, folder."),
    option(
        "Target",
        "--script",
        metavar="FILE",
        help="Take model and inputs from the first call in FILE; quote its arguments with it.",
    ),
    option("Target", "--eval", "evaluate", is_flag=True, help="Run in evaluation mode."),
)


def target_options(command: _Command) -> _Command:
    """Add the options that describe a target."""
    for each in reversed(_TARGET):
        command = each(command)
    return command


def loaded(spec: str, options: dict[str, Any]) -> Target:
    """Load the target; this executes the user's code.

    Raises:
        click.ClickException: it cannot be loaded; the message says why.
    """
    from inplace_lint.runtime.inputs import read_inputs
    from inplace_lint.runtime.target import load

    args, init = read_inputs(options["init"], words=True)
    if args:
        fail("--init needs a name: NAME=VALUE")
    inputs = read_inputs(options["inputs"]) if options["inputs"] else None
    return load(spec, init, inputs, options["script"], options["evaluate"], options.get("device"), options["hf_config"])


@contextmanager
def users_code() -> Iterator[None]:
    """Run code of the user's, several times: what it prints is dropped, its mistakes end in one line.

    Raises:
        click.ClickException: the code fails, or PyTorch is not installed.
    """
    try:
        from inplace_lint.runtime.errors import TargetError

        with redirect_stdout(io.StringIO()):
            import inplace_lint.runtime.target  # noqa: F401

            yield
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise click.ClickException("this needs PyTorch: pip install 'inplace-lint[runtime]'") from error
    except TargetError as error:
        raise click.ClickException(str(error)) from error


def shown(path: str) -> str:
    """A path as the user would write it: relative if it is beneath the working folder."""
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative
