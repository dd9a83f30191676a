"""Standard input, output and errors: they may be closed, full, or have no reader."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from typing import BinaryIO, TextIO

import click

from inplace_lint.cli.options import fail

# What is written to files is named.
_OF_WRITING = frozenset({errno.EBADF, errno.EDQUOT, errno.EFBIG, errno.EINVAL, errno.EIO, errno.ENOSPC})


def replace_closed() -> None:
    """Let what goes to a stream that was closed from the start go nowhere.

    Its number is taken, too, or else the next file that is opened would get it, and the messages.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            _take(number)
            if name != "stdin":
                setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115


def _take(number: int) -> None:
    try:
        os.fstat(number)
    except OSError:
        nowhere = os.open(os.devnull, os.O_RDWR)
        if nowhere != number:
            os.dup2(nowhere, number)
            os.close(nowhere)


def standard_input() -> BinaryIO:
    """Where to read what is piped in."""
    if sys.stdin is None:
        fail("standard input is closed")
    return sys.stdin.buffer


def say(message: str) -> None:
    """Write a message to standard error, if that is possible."""
    try:
        click.echo(message, err=True)
    except OSError:
        let_go(sys.stderr)


def told(error: OSError) -> str:
    """What the operating system refuses, in one line."""
    reason = error.strerror or str(error)
    if error.filename is not None:
        return f"{os.fsdecode(error.filename)}: {reason}"
    if error.errno in _OF_WRITING:
        let_go(sys.stdout)  # or Python would try again when it ends
        return f"standard output cannot be written: {reason}"
    return reason


def let_go(stream: TextIO) -> None:
    """Let what is written to a stream, and what is left in it, go nowhere."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
