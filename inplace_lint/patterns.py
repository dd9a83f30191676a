"""Patterns for paths, written as in `.gitignore`."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable
from functools import cache

from pathspec import GitIgnoreSpec


class Patterns:
    """Patterns that are relative to a folder.

    Args:
        root: the folder.
        lines: one pattern each; what is none matches nothing.
    """

    __slots__ = ("_root", "_spec", "lines")

    def __init__(self, root: str, lines: Iterable[str]) -> None:
        self._root = os.path.abspath(root)
        self.lines = tuple(lines)
        self._spec = _compiled(self.lines)

    def decide(self, path: str, folder: bool = False) -> bool | None:
        """True if the last pattern that matches takes the path, False if it excepts it (`!path`)."""
        relative = os.path.relpath(os.path.abspath(path), self._root).replace(os.sep, "/")
        if relative == "." or relative.startswith("../"):
            # Elsewhere; only patterns for bare names can be meant.
            relative = os.path.basename(os.path.abspath(path))
        return self._spec.check_file(relative + "/" * folder).include

    def match(self, path: str, folder: bool = False) -> bool:
        """Whether the path is taken."""
        return self.decide(path, folder) is True


@cache
def is_pattern(line: str) -> bool:
    """Whether a line can be a pattern; git passes over those that cannot."""
    try:
        _spec((line,))
    except (ValueError, re.error):
        return False
    return True


@cache
def _compiled(lines: tuple[str, ...]) -> GitIgnoreSpec:
    return _spec(tuple(filter(is_pattern, lines)))


def _spec(lines: tuple[str, ...]) -> GitIgnoreSpec:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns of brackets that it may read otherwise one day
        return GitIgnoreSpec.from_lines(lines)
