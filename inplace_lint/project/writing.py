"""Writing the user's files: all at once, nothing but the content changed, and by no link out of the project."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Sequence
from contextlib import suppress

from inplace_lint.project.files import is_beneath


def write_atomically(path: str, data: bytes, tree: Sequence[str]) -> None:
    """Replace the content of a file, or make it: whoever reads it meanwhile sees the old content or the new.

    A link stays a link; owner, mode and extended attributes stay. A file that is read-only, or has several hard
    links, which no new file can take over, is not replaced.

    Args:
        path: the file.
        data: its new content.
        tree: the folders that no link may lead out of.

    Raises:
        OSError: the file or its folder cannot be written, or must not be; nothing has changed.
    """
    target = _target(path, tree)
    before = _replaceable(target)
    handle, draft = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".inplace-lint-")
    try:
        with open(handle, "wb") as file:
            file.write(data)
        if before is None:
            os.chmod(draft, 0o666 & ~_umask())
        else:
            _take_over(target, before, draft)
        os.replace(draft, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(draft)
        raise


def write_report(path: str, text: str, tree: Sequence[str]) -> None:
    """Write a file that the user has named for it, which may be a pipe or a device.

    Raises:
        OSError: it cannot be written, or must not be.
    """
    target = _target(path, tree)
    with suppress(FileNotFoundError):
        _require_writable(target, os.stat(target))
    with open(_opened(path), "w", encoding="utf-8", errors="replace") as file:
        file.write(text)


def _opened(path: str) -> int:
    """A descriptor to write to a file, a device, or a pipe that somebody reads."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        handle = os.open(path, flags, 0o666)
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise OSError(errno.ENXIO, "nobody reads this pipe", path) from error
        raise
    if hasattr(os, "O_NONBLOCK"):
        os.set_blocking(handle, True)
    return handle


def _target(path: str, tree: Sequence[str]) -> str:
    """Where a path leads to; raises PermissionError if it begins in a folder of the tree and leads out of that."""
    target, way = os.path.realpath(path), os.path.abspath(path)
    around = [each for each in tree if is_beneath(way, os.path.abspath(each))]
    if around and not is_beneath(target, os.path.realpath(max(around, key=lambda each: len(os.path.abspath(each))))):
        raise PermissionError(errno.EACCES, f"a link leads out of the tree, to {target}")
    return target


def _replaceable(target: str) -> os.stat_result | None:
    """What a file is like; None if there is none. Raises OSError if it must not be replaced."""
    try:
        before = os.stat(target)
    except FileNotFoundError:
        return None
    _require_writable(target, before)
    if not stat.S_ISREG(before.st_mode):
        raise OSError(errno.EINVAL, "is no regular file")
    if before.st_nlink > 1:
        raise PermissionError(errno.EACCES, f"it has {before.st_nlink} hard links, which a new file would part")
    return before


def _require_writable(target: str, before: os.stat_result) -> None:
    # Who may do everything may also overwrite a file that says it is read-only, but should not.
    if not before.st_mode & 0o222 or not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "it is read-only")


def _take_over(target: str, before: os.stat_result, draft: str) -> None:
    """Give a draft the owner, the mode and the extended attributes of the file that it replaces."""
    now = os.stat(draft)
    if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        try:
            os.chown(draft, before.st_uid, before.st_gid)
        except OSError as error:
            raise PermissionError(errno.EACCES, "its owner cannot be kept") from error
    shutil.copystat(target, draft)  # after the owner, whose change takes bits of the mode away
    os.utime(draft)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
