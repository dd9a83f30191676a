"""Patterns for paths, written as in `.gitignore`, and read as git reads them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from inplace_lint.project.wildmatch import SLASH, STAR, Part, fits, part, tokens

# No path is as long as this, and so none needs a longer pattern.
_LONGEST = 4096


class Patterns:
    """Patterns that are relative to a folder.

    Args:
        root: the folder.
        lines: one pattern each; what is none matches nothing.
    """

    __slots__ = ("_parsed", "_root", "lines")

    def __init__(self, root: str, lines: Iterable[str]) -> None:
        self._root = os.path.abspath(root)
        self.lines = tuple(lines)
        self._parsed = _parsed(self.lines)

    def decide(self, path: str, folder: bool = False) -> bool | None:
        """True if the last pattern for this very path takes it, False if that one excepts it (`!path`)."""
        return self._decide(self._names(path), folder)

    def match(self, path: str, folder: bool = False) -> bool:
        """Whether the path is taken, or a folder around it."""
        names = self._names(path)
        around = any(self._decide(names[:end], True) for end in range(1, len(names)))
        return around or self._decide(names, folder) is True

    def _names(self, path: str) -> list[str]:
        path = os.path.abspath(path)
        root = self._root.rstrip(os.sep) + os.sep
        # Elsewhere, only patterns for bare names can be meant.
        return path.removeprefix(root).split(os.sep) if path.startswith(root) else [os.path.basename(path)]

    def _decide(self, names: Sequence[str], folder: bool) -> bool | None:
        for pattern in self._parsed:
            if (folder or not pattern.folders_only) and _matches(pattern.parts, names):
                return not pattern.excepts
        return None


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A line of a `.gitignore`.

    Args:
        parts: what matches each name of a path; None stands for any number of names.
        excepts: whether it begins with `!`.
        folders_only: whether it ends with a slash.
    """

    parts: tuple[Part | None, ...]
    excepts: bool
    folders_only: bool


def _matches(parts: Sequence[Part | None], names: Sequence[str]) -> bool:
    last = parts[-1]
    if last is not None and not fits(last, names[-1]):  # almost always
        return False
    at = here = 0
    again: tuple[int, int] | None = None
    while here < len(names):
        part = parts[at] if at < len(parts) else ""
        if part is None:
            at, again = at + 1, (at + 1, here + 1)
        elif part != "" and fits(part, names[here]):
            at, here = at + 1, here + 1
        elif again is not None:
            at, here = again
            again = (at, here + 1)
        else:
            return False
    return at == len(parts)


@cache
def is_pattern(line: str) -> bool:
    """Whether a line can be a pattern; git passes over those that cannot."""
    try:
        _read(line)
    except ValueError:
        return False
    return True


@cache
def _parsed(lines: tuple[str, ...]) -> tuple[_Pattern, ...]:
    """The patterns, the last one first: it is the one that counts."""
    return tuple(pattern for line in reversed(lines) if is_pattern(line) and (pattern := _read(line)) is not None)


def _read(line: str) -> _Pattern | None:
    """The pattern in a line; None for a comment or an empty line.

    Raises:
        ValueError: it matches nothing at all.
    """
    text = _without_spaces_behind(line)
    if not text or text.startswith("#"):
        return None
    excepts = text.startswith("!")
    text = text[excepts:]
    folders_only = text.endswith("/")
    text = text[: len(text) - folders_only]
    if not text or len(text) > _LONGEST:
        raise ValueError("nothing, or longer than any path")
    anywhere = "/" not in text
    groups: list[list[str]] = [[]]
    for token in tokens(text.removeprefix("/")):
        if token == SLASH:
            groups.append([])
        else:
            groups[-1].append(token)
    if not all(groups):
        raise ValueError("a name that is empty")
    parts: list[Part | None] = [None] if anywhere else []
    for group in groups:
        parts.append(None if not anywhere and len(group) > 1 and set(group) == {STAR} else part(group))
    if parts[-1:] == [None]:
        parts.append(part([STAR]))  # what is in a folder, and not the folder itself
    return _Pattern(tuple(parts), excepts, folders_only)


def _without_spaces_behind(line: str) -> str:
    text = line.rstrip(" ")
    escaped = (len(text) - len(text.rstrip("\\"))) % 2 == 1
    return line[: len(text) + 1] if escaped else text
