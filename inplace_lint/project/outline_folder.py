"""The folder in which outlines of files are kept, one for all projects of a user: most are of installed libraries.

Each goes by the digest of what it was made of, so it is never out of date. It may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import os
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

from inplace_lint.project import cache_folder
from inplace_lint.project.cache import program
from inplace_lint.project.config import ConfigError

# An outline has some 3 kB.
_MOST_FILES = 20_000

_DAY = 24 * 60 * 60


def default_folder() -> str | None:
    """Where outlines are kept: below `XDG_CACHE_HOME`, or else `~/.cache`; None for who has no home."""
    for above in (os.environ.get("XDG_CACHE_HOME", ""), os.path.expanduser("~/.cache")):
        if os.path.isabs(above):
            return os.path.join(above, "inplace-lint", "outlines")
    return None


@cache
def shared() -> OutlineFolder | None:
    """The folder for all projects, if there is one."""
    folder = default_folder()
    return OutlineFolder(folder) if folder is not None else None


class OutlineFolder:
    """Keeps what it is given in files. Nobody is told if that fails: it is made again then."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._identity = repr(program()).encode()
        self._may_write: bool | None = None

    def get(self, key: str) -> bytes | None:
        """What was kept under a key; None if nothing is there."""
        file = self._file(key)
        data = cache_folder.stored(file)
        if data is not None:
            with suppress(OSError):
                if time.time() - os.stat(file).st_mtime > _DAY:
                    os.utime(file)  # What is used is kept.
        return data

    def put(self, key: str, data: bytes) -> None:
        """Keep this under a key."""
        if self._may_write is None:
            self._may_write = self._prepared()
        if self._may_write:
            with suppress(OSError):
                cache_folder.store(self._file(key), data)

    def _file(self, key: str) -> str:
        digest = hashlib.blake2b(self._identity + b"\0" + key.encode(errors="surrogatepass"), digest_size=16)
        return os.path.join(self._folder, f"outline-{digest.hexdigest()}.bin")

    def _prepared(self) -> bool:
        """Make the folder, and delete half of what is there if that is too much."""
        try:
            cache_folder.make(self._folder, self._folder)
            files = [*Path(self._folder).glob("outline-*.bin")]
            if len(files) > _MOST_FILES:
                files.sort(key=lambda file: file.stat().st_mtime)
                for file in files[: len(files) // 2]:
                    file.unlink(missing_ok=True)
        except (OSError, ConfigError):
            return False
        return True
