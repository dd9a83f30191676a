"""Writing a file all at once: whoever reads it meanwhile sees the old content or the new."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress


def write_atomically(path: str, data: bytes) -> None:
    """Replace the content of a file, or make it; a link stays a link, and the mode stays.

    Raises:
        OSError: the file or its folder cannot be written; nothing has changed.
    """
    target = os.path.realpath(path)
    try:
        mode = os.stat(target).st_mode & 0o7777
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        mode = 0o666 & ~umask
    handle, draft = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".inplace-lint-")
    try:
        with open(handle, "wb") as file:
            file.write(data)
        os.chmod(draft, mode)
        os.replace(draft, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(draft)
        raise
