"""From the paths that were given to the files to check."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from inplace_lint.project.files import is_beneath, read_file
from inplace_lint.project.patterns import Patterns
from inplace_lint.project.settings import Settings

# In bytes. Each path is held against each pattern, so that more of them would take seconds for every hundred files.
_LARGEST_IGNORES = 200_000

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


class NoSuchPathError(FileNotFoundError):
    """A path that was given does not exist."""


@dataclass(frozen=True, slots=True)
class Discovered:
    """The files to check, in order, and what could not be entered or read on the way, with the reason."""

    files: tuple[str, ...]
    unreadable: tuple[tuple[str, str], ...] = ()


def listed(paths: Paths) -> list[str]:
    """Paths that may be one alone."""
    return [os.fspath(path) for path in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)]


def discover(paths: Sequence[str], settings: Settings) -> Discovered:
    """The Python files under `paths`.

    A file that is named is taken whatever it is called (unless `force_exclude`); folders are
    walked in sorted order, without following links, and without what is hidden, excluded, ignored
    by git, or a virtual environment. Each folder has its own configuration.

    Raises:
        NoSuchPathError: one of the paths does not exist.
        ConfigError: a configuration file makes no sense.
    """
    files: dict[str, str] = {}
    unreadable: list[tuple[str, str]] = []
    for given in paths:
        path = os.path.normpath(given)
        if given == "-":
            raise NoSuchPathError("`-` (standard input) cannot be mixed with files and folders")
        if not given or not os.path.lexists(path):
            raise NoSuchPathError(f"no such file or folder: {given or '(an empty name)'}")
        config = settings.of(path)
        excluded = Patterns(config.root, config.exclude + config.extend_exclude)
        if config.force_exclude and excluded.match(path, os.path.isdir(path)):
            continue
        if os.path.isdir(path):
            config = settings.at(path)
            ignores = _ignores_above(path, unreadable) if config.respect_gitignore else []
            # A folder that is named is meant, even if a pattern excludes it.
            meant = path if excluded.match(path, folder=True) else None
            found = _walk(path, _Walk(settings, meant, unreadable), ignores)
        else:
            found = iter([path])
        for file in found:
            files.setdefault(os.path.abspath(file), file)
    return Discovered(tuple(files.values()), tuple(unreadable))


@dataclass(frozen=True, slots=True)
class _Walk:
    """What holds for a whole walk: `meant` is its start, if patterns are relative to that."""

    settings: Settings
    meant: str | None
    unreadable: list[tuple[str, str]]

    def skip(self, folder: str, ignores: list[Patterns]) -> Callable[[os.DirEntry[str], bool], bool]:
        config = self.settings.at(folder)
        excluded = Patterns(self.meant or config.root, config.exclude + config.extend_exclude)

        def skip(entry: os.DirEntry[str], is_folder: bool) -> bool:
            if is_folder and (entry.name.startswith(".") or os.path.lexists(os.path.join(entry.path, "pyvenv.cfg"))):
                return True
            # Folders around it are not excluded: we are in them.
            return excluded.decide(entry.path, is_folder) is True or _ignored(entry.path, is_folder, ignores)

        return skip


def _walk(start: str, walk: _Walk, ignores: list[Patterns]) -> Iterator[str]:
    # Folders can be nested more deeply than calls.
    todo = [(start, True, ignores)]
    while todo:
        path, is_folder, above = todo.pop()
        if is_folder:
            todo += reversed(_within(path, walk, above))
        else:
            yield path


def _within(folder: str, walk: _Walk, ignores: list[Patterns]) -> list[tuple[str, bool, list[Patterns]]]:
    """What is to be looked at in a folder: path, whether it is a folder, and what git ignores there."""
    try:
        with os.scandir(folder) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        walk.unreadable.append((folder, f"cannot be entered: {error.strerror or error}"))
        return []
    if walk.settings.at(folder).respect_gitignore:
        ignores = ignores + _ignores_in(folder, walk.unreadable)
    skip = walk.skip(folder, ignores)
    kinds = [(entry, entry.is_dir(follow_symlinks=False)) for entry in listed]
    return [
        (os.path.normpath(entry.path), is_folder, ignores)
        for entry, is_folder in kinds
        if (is_folder or _is_source(entry)) and not skip(entry, is_folder)
    ]


def _is_source(entry: os.DirEntry[str]) -> bool:
    # A broken link counts, so that it is reported; a folder or a pipe with such a name does not.
    return entry.name.endswith((".py", ".ipynb")) and (os.path.isfile(entry.path) or not os.path.exists(entry.path))


def _ignored(path: str, folder: bool, ignores: list[Patterns]) -> bool:
    for patterns in reversed(ignores):
        verdict = patterns.decide(path, folder)
        if verdict is not None:
            return verdict
    return False


def _ignores_in(folder: str, unreadable: list[tuple[str, str]], name: str = ".gitignore") -> list[Patterns]:
    path = os.path.join(folder, name)
    try:
        text = read_file(path, _LARGEST_IGNORES).decode("utf-8", errors="surrogateescape")
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        if not os.path.isdir(path):
            unreadable.append((path, f"cannot be read, so that nothing is left out for it: {error.strerror or error}"))
        return []
    return [Patterns(folder, [line.removesuffix("\r") for line in text.removeprefix("\ufeff").split("\n")])]


def _ignores_above(folder: str, unreadable: list[tuple[str, str]]) -> list[Patterns]:
    """What git ignores in a folder by the files above it, up to the repository's root."""
    here = Path(folder).resolve()
    chain = [here]
    while not os.path.exists(chain[-1] / ".git"):  # unlike the method, it is false where we may not look
        if chain[-1].parent == chain[-1]:
            return []  # no repository
        chain.append(chain[-1].parent)
    ignores = _ignores_in(str(chain[-1]), unreadable, ".git/info/exclude")
    for above, below in pairwise(reversed(chain)):
        ignores += _ignores_in(str(above), unreadable)
        if _ignored(str(below), True, ignores):
            return []  # likewise: the user knows better than git
    return ignores


def leads_out(path: str, given: Iterable[str]) -> bool:
    """Whether a link leads from under the given paths or the working folder to a file outside of all of them."""
    roots = (os.curdir, *given)
    beneath = any(is_beneath(os.path.abspath(path), os.path.abspath(root)) for root in roots)
    real = os.path.realpath(path)
    return beneath and not any(is_beneath(real, os.path.realpath(root)) for root in roots)
