"""Safe access to files, which may be pipes without a writer, devices or endless; and their real paths."""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO

# Of a file that is larger, what is made of it would not fit into the memory of a small machine.
LARGEST = 20_000_000


Stamp = tuple[int, int]


class SpecialFileError(OSError):
    """What is no regular file: a folder, a pipe, a socket, a device."""


def read_file(path: str, largest: int = LARGEST) -> bytes:
    """The content of a regular file.

    Raises:
        SpecialFileError: it is no regular file.
        OSError: it cannot be read, or is larger than `largest` bytes.
    """
    _require_regular(os.stat(path), path)  # before it is opened: even that does something to some devices
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    with open(os.open(path, flags), "rb", buffering=0) as file:
        status = os.fstat(file.fileno())  # it may be another file by now
        _require_regular(status, path)
        if status.st_size > largest:
            raise _too_large(path, largest)
        # Files of the kernel say that they are empty, and may have no end.
        return _read(file, path, largest)


def read_stream(stream: BinaryIO, largest: int = LARGEST) -> bytes:
    """All that comes through a stream, such as standard input.

    Raises:
        OSError: it cannot be read, or is more than `largest` bytes.
    """
    data = stream.read(largest + 1)
    if len(data) > largest:
        raise _too_large("standard input", largest)
    return data


def _read(file: BinaryIO, path: str, largest: int) -> bytes:
    parts: list[bytes] = []
    left = largest + 1
    while part := file.read(left):
        parts.append(part)
        left -= len(part)
        if not left:
            raise _too_large(path, largest)
    if part is None:
        raise SpecialFileError(errno.EINVAL, "is no regular file: it has no end", path)
    return b"".join(parts)


def _require_regular(status: os.stat_result, path: str) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise SpecialFileError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(status.st_mode):
        raise SpecialFileError(errno.EINVAL, "is no regular file", path)


def _too_large(path: str, largest: int) -> OSError:
    return OSError(errno.EFBIG, f"is larger than {largest / 1e6:g} MB", path)


def stamp(path: str) -> Stamp | None:
    """What shows that a file has changed; None if there is none, or one that is not read, such as a pipe."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return (found.st_mtime_ns, found.st_size) if stat.S_ISREG(found.st_mode) else None


def is_beneath(path: str, folder: str) -> bool:
    """Whether an absolute path is that of a folder, or of something in it."""
    return path == folder or path.startswith(os.path.join(folder, ""))
