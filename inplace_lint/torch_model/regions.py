"""Parts of a storage that subscripts cut out, and whether two of them surely meet.

A region is a sequence of subscripts, each a sequence of parts `(kind, key)`: `int`, `slice` with the
keys of its bounds, `all`, `ellipsis`, `new`. Another view is `("view", number)`, each with a number of
its own.
"""

from __future__ import annotations

from itertools import zip_longest

Region = tuple[object, ...]

_ALL = ("all", None)


def meet(a: Region, b: Region) -> bool:
    """Whether two views surely have an element in common, none of them being empty."""
    for ours, theirs in zip(a, b, strict=False):
        if ours == theirs:
            continue
        if not (isinstance(ours, tuple) and isinstance(theirs, tuple)):
            return False
        if not all(_parts_meet(x, y) for x, y in zip_longest(ours, theirs, fillvalue=_ALL)):
            return False
        # What later subscripts take out of different parts may lie anywhere.
        return len(a) == len(b) == 1
    return True


def _parts_meet(a: object, b: object) -> bool:
    if a == b or _ALL in (a, b):
        return True
    if not (isinstance(a, tuple) and isinstance(b, tuple) and {a[0], b[0]} <= {"int", "slice"}):
        return False
    ours, theirs = _bounds(a), _bounds(b)
    if ours is None or theirs is None:
        return False
    if ours[0] == theirs[0] and a[0] == b[0] == "slice":
        return True
    return _before(ours[0], theirs[1]) and _before(theirs[0], ours[1])


def _before(lower: object, upper: object) -> bool:
    """Whether a lower bound is surely below an upper one."""
    if not isinstance(lower, int) or lower < 0:
        return False
    return upper is None or (isinstance(upper, int) and lower < upper)


def _bounds(part: tuple[object, ...]) -> tuple[object, object] | None:
    """First and last bound, as numbers where they are known, None for an open end; None if there is a step."""
    if part[0] == "int":
        value = _number(part[1])
        return (value, value + 1) if isinstance(value, int) else None
    if not (isinstance(part[1], tuple) and len(part[1]) == 3 and _number(part[1][2]) is None):
        return None
    lower = _number(part[1][0])
    return (0 if lower is None else lower, _number(part[1][1]))


def _number(key: object) -> object:
    """The number, or None, that a key stands for; otherwise the key."""
    return key[2] if isinstance(key, tuple) and len(key) == 3 and key[0] == "constant" else key
