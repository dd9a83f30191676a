"""The folders in which the libraries of a program are installed.

Files there are read and followed like those of the program, and are not its own: what goes wrong between the program
and a library is reported where the program calls the library.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# What Python, and Debian's, call the folders in which installers put packages.
_NAMES = frozenset({"site-packages", "dist-packages"})

# Our own files, programs about libraries among them, are none of the program's environment, wherever we are installed.
_OWN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")

_in_force: ContextVar[tuple[str, ...]] = ContextVar("installed", default=())


def in_force() -> tuple[str, ...]:
    """The folders in force, in the order in which modules are looked for; none unless `using` says so."""
    return _in_force.get()


@contextmanager
def using(folders: tuple[str, ...]) -> Iterator[None]:
    """Put other folders in force, in this thread."""
    token = _in_force.set(folders)
    try:
        yield
    finally:
        _in_force.reset(token)


def folder_of(path: str) -> str:
    """The folder of installed packages that a file lies in; "" if it lies in none."""
    if path.startswith(_OWN):
        return ""
    parts = path.split(os.sep)
    last = next((index for index in range(len(parts) - 2, -1, -1) if parts[index] in _NAMES), None)
    return os.sep.join(parts[: last + 1]) if last is not None else ""


def module_at(path: str) -> str:
    """The module of an installed file, as programs import it."""
    within = path[len(folder_of(path)) :].strip(os.sep).removesuffix(".py").removesuffix(f"{os.sep}__init__")
    return within.replace(os.sep, ".")
