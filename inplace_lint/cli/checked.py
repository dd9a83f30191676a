"""The user's files that may be changed: those that were checked, if they are still the same."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inplace_lint.project.settings import Settings


@dataclass(frozen=True, slots=True)
class Checked:
    """What is checked.

    Args:
        stamps: what tells whether a file has changed, by path.
        tree: the folders that were given, and those of the files that were given.
    """

    stamps: Mapping[str, object] = field(default_factory=dict)
    tree: tuple[str, ...] = ()

    def read(self, path: str) -> bytes:
        """The content of a file.

        Raises:
            NotFixedError: it was not checked, or not as it is now.
            OSError: it cannot be read.
        """
        from inplace_lint.pipeline.apply_fixes import NotFixedError
        from inplace_lint.project.files import read_file

        if path not in self.stamps:
            raise NotFixedError("it is not among the files that are checked")
        data = read_file(path)
        if _stamp(path) != self.stamps[path]:
            raise NotFixedError("it was changed while it was checked")
        return data

    def replace(self, path: str, data: bytes) -> None:
        """Give a file another content.

        Raises:
            NotFixedError: it was not checked, or not as it is now.
            OSError: it cannot be written.
        """
        from inplace_lint.project.writing import write_atomically

        self.read(path)
        write_atomically(path, data, self.tree)


def about_to_check(paths: Sequence[str], chosen: Settings) -> Checked:
    """The files under some paths, as they are now."""
    from inplace_lint.project.discovery import discover

    tree = tuple(path if os.path.isdir(path) else os.path.dirname(path) for path in paths)
    return Checked({path: _stamp(path) for path in discover(paths, chosen).files}, tree)


def _stamp(path: str) -> object:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_size, status.st_ino)
