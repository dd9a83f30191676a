"""`--watch`: check again whenever a file changes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from typing import NoReturn

import click

from inplace_lint.cli.printing import tell

_SECONDS_BETWEEN_LOOKS = 0.5


def watch(run: Callable[[], object], files: Callable[[], Iterable[str]]) -> NoReturn:
    """Run at once, and again after every change, until Ctrl-C.

    Args:
        run: checks the files, and prints what it finds.
        files: the files to look at, those that are new included.
    """
    while True:
        before = _stamps(files())
        click.clear()
        run()
        tell("watching for changes; Ctrl-C ends it")
        while _stamps(files()) == before:
            time.sleep(_SECONDS_BETWEEN_LOOKS)


def _stamps(files: Iterable[str]) -> dict[str, tuple[int, int] | None]:
    return {file: _stamp(file) for file in files}


def _stamp(file: str) -> tuple[int, int] | None:
    try:
        status = os.stat(file)
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_size)
