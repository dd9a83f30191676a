"""From the paths that were given to the files to check."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from inplace_lint.config import Config
from inplace_lint.patterns import Patterns


class NoSuchPathError(FileNotFoundError):
    """A path that was given does not exist."""


@dataclass(frozen=True, slots=True)
class Discovered:
    """The files to check, in order, and the folders that could not be entered, with the reason."""

    files: tuple[str, ...]
    unreadable: tuple[tuple[str, str], ...] = ()


def discover(paths: Sequence[str], config: Config) -> Discovered:
    """The Python files under `paths`.

    A file that is named is taken whatever it is called (unless `force_exclude`); folders are
    walked in sorted order, without following links, and without what is hidden, excluded, ignored
    by git, or a virtual environment.

    Raises:
        NoSuchPathError: one of the paths does not exist.
    """
    excluded = Patterns(config.root, config.exclude + config.extend_exclude)
    files: dict[str, str] = {}
    unreadable: list[tuple[str, str]] = []
    for path in map(os.path.normpath, paths):
        if not os.path.lexists(path):
            raise NoSuchPathError(f"no such file or folder: {path}")
        if config.force_exclude and excluded.match(path, os.path.isdir(path)):
            continue
        if os.path.isdir(path):
            ignores = _ignores_above(path) if config.respect_gitignore else []
            # A folder that is named is meant, even if a pattern excludes it.
            within = Patterns(path, excluded.lines) if excluded.match(path, folder=True) else excluded
            found = _walk(path, _Skip(within, config.respect_gitignore), ignores, unreadable)
        else:
            found = iter([path])
        for file in found:
            files.setdefault(os.path.abspath(file), file)
    return Discovered(tuple(files.values()), tuple(unreadable))


@dataclass(frozen=True, slots=True)
class _Skip:
    excluded: Patterns
    respect_gitignore: bool

    def __call__(self, entry: os.DirEntry[str], folder: bool, ignores: list[Patterns]) -> bool:
        if folder and (entry.name.startswith(".") or os.path.lexists(os.path.join(entry.path, "pyvenv.cfg"))):
            return True
        return self.excluded.match(entry.path, folder) or _ignored(entry.path, folder, ignores)


def _walk(folder: str, skip: _Skip, ignores: list[Patterns], unreadable: list[tuple[str, str]]) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        unreadable.append((folder, error.strerror or str(error)))
        return
    if skip.respect_gitignore:
        ignores = ignores + _ignores_in(folder)
    for entry in listed:
        is_folder = entry.is_dir(follow_symlinks=False)
        if not (is_folder or _is_source(entry)) or skip(entry, is_folder, ignores):
            continue
        path = os.path.normpath(entry.path)
        if is_folder:
            yield from _walk(path, skip, ignores, unreadable)
        else:
            yield path


def _is_source(entry: os.DirEntry[str]) -> bool:
    # A broken link counts, so that it is reported; a folder or a pipe with such a name does not.
    return entry.name.endswith(".py") and (os.path.isfile(entry.path) or not os.path.exists(entry.path))


def _ignored(path: str, folder: bool, ignores: list[Patterns]) -> bool:
    for patterns in reversed(ignores):
        verdict = patterns.decide(path, folder)
        if verdict is not None:
            return verdict
    return False


def _ignores_in(folder: str, name: str = ".gitignore") -> list[Patterns]:
    try:
        lines = Path(folder, name).read_text("utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return []
    return [Patterns(folder, lines)]


def _ignores_above(folder: str) -> list[Patterns]:
    """What git ignores in a folder by the files above it, up to the repository's root."""
    here = Path(folder).resolve()
    chain = [here]
    while not (chain[-1] / ".git").exists():
        if chain[-1].parent == chain[-1]:
            return []  # no repository
        chain.append(chain[-1].parent)
    ignores = _ignores_in(str(chain[-1]), ".git/info/exclude")
    for above in reversed(chain[1:]):
        ignores += _ignores_in(str(above))
    # Likewise: the user knows better than git.
    return [] if _ignored(str(here), True, ignores) else ignores
