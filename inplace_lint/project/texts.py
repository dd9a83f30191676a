"""The files of a project as an editor has them: texts that are not saved come before those on disk."""

from __future__ import annotations

import os
from collections.abc import Mapping

from inplace_lint.project.files import Stamp, stamp
from inplace_lint.project.reading import normalized, read
from inplace_lint.source.errors import SourceError

# Texts of other files are read again when they are needed after so many.
_MOST_KEPT = 2000


class Texts:
    """What the files of a project say, some of which are open in an editor.

    Args:
        unsaved: texts by path. Paths may be relative to the working folder.

    `load` is one object for as long as this lives: by it the analysis knows which files it may remember.
    """

    def __init__(self, unsaved: Mapping[str, str] | None = None) -> None:
        self._unsaved = {os.path.abspath(path): normalized(text) for path, text in (unsaved or {}).items()}
        self._saved: dict[str, str | None] = {}
        self._stamps: dict[str, Stamp | None] = {}
        self.load = self._load

    def update(self, texts: Mapping[str, str | None]) -> set[str]:
        """Take over texts, None for that on disk again; the files whose text is another one now."""
        changed: set[str] = set()
        for path, text in texts.items():
            key = os.path.abspath(path)
            before = self.load(key)
            if text is None:
                self._unsaved.pop(key, None)
            else:
                self._unsaved[key] = normalized(text)
            if self.load(key) != before:
                changed.add(key)
        return changed

    def changed_on_disk(self) -> set[str]:
        """The files that have been read and are no longer the same, each told once."""
        changed = {path for path, was in self._stamps.items() if stamp(path) != was}
        for path in changed:
            self._saved.pop(path, None)
            self._stamps.pop(path, None)
        return changed - self._unsaved.keys()

    def _load(self, path: str) -> str | None:
        key = os.path.abspath(path)
        if key in self._unsaved:
            return self._unsaved[key]
        if key not in self._saved:
            if len(self._saved) >= _MOST_KEPT:
                self._saved.clear()
            now = stamp(key)
            if now is not None:  # what is absent is asked for often, and its coming changes more than one text
                self._stamps[key] = now
            try:
                self._saved[key] = read(key)
            except SourceError:
                self._saved[key] = None
        return self._saved[key]

    def forget(self) -> None:
        """Read everything on disk anew: files may have come or gone."""
        self._saved.clear()
        self._stamps.clear()
