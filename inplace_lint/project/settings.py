"""Which configuration holds where: for each file that of the nearest configuration file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from inplace_lint.project.config import Config, ConfigError, layers, load, override, table
from inplace_lint.project.files import Stamp, read_file, stamp

_NAMES = ("inplace-lint.toml", "pyproject.toml")


@dataclass(frozen=True, slots=True)
class Settings:
    """The configurations of a run.

    Args:
        options: command-line options (keys as in a file), laid over whatever a file says.
        file: the configuration file for everything; None for the nearest one of each file.
        isolated: whether to read no configuration file.
        fixed: the configuration for everything, if there is just one.
        root: the project's folder where there is no configuration file; None for the working folder.
    """

    options: Mapping[str, object] = field(default_factory=dict)
    file: str | None = None
    isolated: bool = False
    fixed: Config | None = None
    root: str | None = None
    _folders: dict[str, Config] = field(default_factory=dict, repr=False)
    _read: dict[str | None, Config] = field(default_factory=dict, repr=False)
    _nearest: dict[str, Path | None] = field(default_factory=dict, repr=False)
    _stamps: dict[str, Stamp | None] = field(default_factory=dict, repr=False)

    def at(self, folder: str) -> Config:
        """The configuration for the files in a folder.

        Raises:
            ConfigError: a configuration file or an option says what makes no sense.
        """
        if self.fixed is not None:
            return self.fixed
        if folder not in self._folders:
            source = self.source(folder)
            key = None if source is None else str(source)
            if key not in self._read:
                below = Config(root=self.root or os.getcwd()) if source is None else load(source)
                if source is not None:
                    self._stamps.update((str(file), stamp(str(file))) for file, _ in layers(source))
                self._read[key] = override(below, self.options)
            self._folders[folder] = self._read[key]
        return self._folders[folder]

    @property
    def outdated(self) -> bool:
        """Whether a configuration file has changed, come or gone since it was looked for."""
        return any(stamp(path) != was for path, was in self._stamps.items())

    def of(self, path: str) -> Config:
        """The configuration for a file."""
        return self.at(os.path.dirname(path))

    def common(self, paths: Iterable[str]) -> Config:
        """The configuration of what concerns a run as a whole: that of the deepest folder around all paths."""
        return self.at(common_folder(paths))

    def source(self, folder: str) -> Path | None:
        """The configuration file for a folder: the nearest from there upwards. None if there is none.

        In one folder, `inplace-lint.toml` comes before `pyproject.toml`, which counts only if it
        has a table `[tool.inplace-lint]`.
        """
        if self.isolated or self.fixed is not None:
            return None
        if self.file is not None:
            return Path(self.file)
        return self._find(os.path.abspath(folder))

    def _find(self, start: str) -> Path | None:
        asked: list[str] = []
        folder, found = start, None
        while folder not in self._nearest:
            asked.append(folder)
            self._stamps.update((path, stamp(path)) for path in (os.path.join(folder, name) for name in _NAMES))
            if (found := _in_folder(folder)) is not None or folder == os.path.dirname(folder):
                break
            folder = os.path.dirname(folder)
        else:
            found = self._nearest[folder]
        self._nearest.update(dict.fromkeys(asked, found))
        return found

    def values(self, folder: str) -> Iterator[tuple[str, Any, str]]:
        """Each key, its value, and where that is from: a file, `command line` or `default`."""
        source = self.source(folder)
        above = self.at(folder)
        below = Config(root=self.root or os.getcwd()) if source is None else load(source)
        said = {key: str(file) for file, some in layers(source) for key in some} if source is not None else {}
        for each in fields(Config):
            key = each.name.replace("_", "-")
            if key in self.options:
                yield key, getattr(above, each.name), "command line"
            elif each.name not in ("root", "beneath"):
                yield key, getattr(below, each.name), said.get(key, "default")


def _in_folder(folder: str) -> Path | None:
    own, project = (os.path.join(folder, name) for name in _NAMES)
    if os.path.lexists(own) and not os.path.isdir(own):
        return Path(own)
    return Path(project) if _mentions_us(project) and table(Path(project)) is not None else None


def _mentions_us(project: str) -> bool:
    """Whether it is any of our business if the file is broken."""
    if not os.path.lexists(project) or os.path.isdir(project):
        return False
    try:
        content = read_file(project)
        return b"inplace-lint" in content or b"tool.inplace_lint" in content
    except OSError as error:
        raise ConfigError(f"{project}: cannot be read: {error.strerror}") from error


def common_folder(paths: Iterable[str]) -> str:
    """The deepest folder around all paths."""
    folders = [path if os.path.isdir(path) else os.path.dirname(path) for path in map(os.path.abspath, paths)]
    try:
        return os.path.commonpath(folders)
    except ValueError:  # no path at all, or paths on several drives
        return os.getcwd()


def require_own_table(file: str) -> None:
    """Raises ConfigError if a file that was named cannot be read, or says nothing to this tool."""
    if table(Path(file)) is None:
        raise ConfigError(f"{file}: has no table `[tool.inplace-lint]`")
