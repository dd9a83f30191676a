"""Finds the Python environment of a project: the folders in which its libraries are installed.

The order is that of other tools: what the user names, then the environment that is active (`VIRTUAL_ENV`,
`CONDA_PREFIX`), then `.venv` or `venv` in the project's folder or around it in the same repository, then the
environment in which inplace-lint itself is installed. Files are looked at; no Python is started, and nothing of the
environment is imported.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from functools import lru_cache
from glob import escape, glob

from inplace_lint.project.files import is_beneath, read_file

NONE = "none"
"""What the user names for no environment at all."""

_USUAL = (".venv", "venv")
_PLACES = (
    os.path.join("lib", "python3*", "site-packages"),
    os.path.join("lib64", "python3*", "site-packages"),
    os.path.join("Lib", "site-packages"),
    os.path.join("local", "lib", "python3*", "dist-packages"),
    os.path.join("lib", "python3", "dist-packages"),
)
_LARGEST_SETTINGS = 100_000


class NoEnvironmentError(ValueError):
    """What the user names is no Python environment."""


@lru_cache(maxsize=64)
def search_path(python: str | None, root: str) -> tuple[str, ...]:
    """Where the libraries of a project are installed.

    Args:
        python: what the user names: an environment, its interpreter, or `NONE`; None to find one.
        root: the project's folder.

    Returns:
        folders, absolute, in the order in which Python looks for modules.

    Raises:
        NoEnvironmentError: nothing is installed in what is named.
    """
    if python == NONE:
        return ()
    if python is not None:
        found = _folders(_prefix(python), "")
        if not found:
            raise NoEnvironmentError(f"no Python environment at `{python}`")
        return found
    return next(filter(None, (_folders(prefix, tree) for prefix, tree in _candidates(root))), ())


def _prefix(python: str) -> str:
    """The folder of an environment, by itself or by its interpreter."""
    if os.path.isdir(python):
        return python
    prefix = os.path.dirname(os.path.dirname(os.path.abspath(python)))
    if os.path.exists(os.path.join(prefix, "pyvenv.cfg")):  # its interpreter is a link to another one
        return prefix
    return os.path.dirname(os.path.dirname(os.path.realpath(python)))


def _candidates(root: str) -> Iterator[tuple[str, str]]:
    """Environments, each with the tree that it came with, if that may be a stranger's."""
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if named := os.environ.get(variable):
            yield named, ""
    folder = os.path.abspath(root)
    top = _repository(folder) or folder
    while True:
        for name in _USUAL:
            if os.path.exists(os.path.join(folder, name, "pyvenv.cfg")):
                yield os.path.join(folder, name), top
        if folder == top:
            break
        folder = os.path.dirname(folder)
    yield sys.prefix, ""


def _repository(folder: str) -> str:
    """The folder of the repository around a folder; "" if there is none."""
    while not os.path.exists(os.path.join(folder, ".git")):
        if os.path.dirname(folder) == folder:
            return ""
        folder = os.path.dirname(folder)
    return folder


def _folders(prefix: str, tree: str) -> tuple[str, ...]:
    """Where an environment has packages; links out of `tree`, if that is not "", are not followed."""
    prefix = os.path.abspath(prefix)
    found = _installed_in(prefix)
    if not found:
        return ()
    settings = _text(os.path.join(prefix, "pyvenv.cfg"))
    if re.search(r"(?im)^include-system-site-packages\s*=\s*true", settings):
        home = re.search(r"(?im)^home\s*=\s*(.+)$", settings)
        found += _installed_in(os.path.dirname(home[1].strip())) if home else []
    return tuple(dict.fromkeys(each for folder in found for each in (folder, *_linked(folder, tree))))


def _installed_in(prefix: str) -> list[str]:
    """The folders of packages beneath a prefix; of several versions of Python the latest one's."""
    found: list[str] = []
    for place in _PLACES:
        if there := [each for each in glob(os.path.join(escape(prefix), place)) if os.path.isdir(each)]:
            found.append(max(there, key=_version))
    return list({os.path.realpath(folder): folder for folder in reversed(found)}.values())[::-1]


def _version(folder: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", os.path.basename(os.path.dirname(folder)))))


def _linked(folder: str, tree: str) -> Iterator[str]:
    """The folders that `.pth` files add to the search path. Their lines that import something are not run."""
    for file in sorted(glob(os.path.join(escape(folder), "*.pth"))):
        for line in map(str.strip, _text(file).splitlines()):
            place = os.path.normpath(os.path.join(folder, line))
            is_path = line and not line.startswith(("#", "import ", "import\t")) and os.path.isdir(place)
            if is_path and (not tree or is_beneath(os.path.realpath(place), os.path.realpath(tree))):
                yield place


def _text(file: str) -> str:
    try:
        return read_file(file, _LARGEST_SETTINGS).decode("utf-8-sig", errors="replace")
    except (OSError, ValueError):
        return ""
