"""Bytes in words."""

from __future__ import annotations

import math

_UNITS = ("B", "KiB", "MiB", "GiB")


def spelled(size: int) -> str:
    """A number of bytes, as in `381.5 MiB`."""
    if abs(size) < 1024:
        return f"{size} B"
    for unit, bytes in (("KiB", 2**10), ("MiB", 2**20)):
        if abs(size) < 1024 * bytes:
            return f"{size / bytes:.1f} {unit}"
    return f"{size / 2**30:.1f} GiB"


def ticks(most: int) -> list[tuple[float, str]]:
    """Round numbers of bytes, evenly from none to the first that is not below the most, and their names: five or so."""
    power = 0
    while power + 1 < len(_UNITS) and most >= 1024 ** (power + 1):
        power += 1
    unit = 1024.0**power
    sizes = (digit * 10**exponent for exponent in range(-1 if power else 0, 12) for digit in (1, 2, 5))
    step = next(size for size in sizes if most <= 5 * size * unit)
    count = max(1, math.ceil(most / unit / step))
    return [(number * step * unit, f"{number * step:.6g} {_UNITS[power]}") for number in range(count + 1)]
