"""Bytes in words."""

from __future__ import annotations


def spelled(size: int) -> str:
    """A number of bytes, as in `381.5 MiB`."""
    if abs(size) < 1024:
        return f"{size} B"
    for unit, bytes in (("KiB", 2**10), ("MiB", 2**20)):
        if abs(size) < 1024 * bytes:
            return f"{size / bytes:.1f} {unit}"
    return f"{size / 2**30:.1f} GiB"
