"""Parts of a storage that subscripts cut out, and whether two of them surely meet, or surely do not.

A region is a sequence of subscripts, each a sequence of parts `(kind, key)`: `int`, `slice` with the
keys of its bounds, `all`, `ellipsis`, `new`. Another view is `("view", number)`, each with a number of
its own, `("whole", number)` if it has all elements, `("turned", number)` if it has them in another order of
dimensions, `("diagonal", number)` for the main diagonal of a matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import TypeGuard

from inplace_lint.torch_model.constant import Constant, Number

Region = tuple[object, ...]
Subscript = tuple[tuple[str, object], ...]
Bounds = tuple[object, object]
Sizes = Sequence[int | None]

_ALL = ("all", None)


def meet(a: Region, b: Region) -> bool:
    """Whether two views surely have an element in common, none of them being empty."""
    if len(a) != len(b):
        a, b = _joined(a), _joined(b)
    for index, (ours, theirs) in enumerate(zip(a, b, strict=False)):
        if ours == theirs:
            continue
        if not (isinstance(ours, tuple) and isinstance(theirs, tuple)):
            return False
        if not all(_parts_meet(x, y) for x, y in zip_longest(ours, theirs, fillvalue=_ALL)):
            return False
        # What later subscripts take out of different parts may lie anywhere.
        return len(a) == len(b) == index + 1
    return True


def _joined(region: Region) -> Region:
    """A region in which `x[0][2:]` is spelled as `x[0, 2:]`, and `x[:, 2:][0]` as well."""
    joined: list[object] = []
    for cut in region:
        last = joined[-1] if joined else None
        both = _in_one(last, cut) if _is_subscript(last) and _is_subscript(cut) else None
        if both is not None:
            joined[-1] = both
        else:
            joined.append(cut)
    return tuple(joined)


def _in_one(first: Subscript, then: Subscript) -> Subscript | None:
    """One subscript for two, one after the other; None if there is none of this form."""
    left = list(then)
    both: list[tuple[str, object]] = []
    for part in first:
        if part[0] == "int" or not left:
            both.append(part)
        elif part == _ALL:
            both.append(left.pop(0))
        elif part[0] == "slice" and left[0] == _ALL:
            both.append(part)
            left.pop(0)
        else:
            return None
    kinds = {part[0] for part in (*first, *then)}
    return (*both, *left) if kinds <= {"int", "slice", "all"} or all(part[0] == "int" for part in first) else None


def apart(a: Region | None, b: Region | None) -> bool:
    """Whether two views surely have no element in common: `x[:, :n]` and `x[:, n:]`."""
    for index, (ours, theirs) in enumerate(zip(a or (), b or (), strict=False)):
        if ours != theirs:
            if not (isinstance(ours, tuple) and isinstance(theirs, tuple)):
                return False
            if "diagonal" in (ours[0], theirs[0]):
                return any(region is not None and _is_off_diagonal(region[index:]) for region in (a, b))
            return _subscripts_apart(ours, theirs)
    return False


def at_opposite_ends(a: Region | None, b: Region | None) -> bool:
    """Whether of two views one is at a position counted from the end, and the other at one counted from the front."""
    for ours, theirs in zip(a or (), b or (), strict=False):
        if ours != theirs:
            if not (_is_subscript(ours) and _is_subscript(theirs)):
                return False
            differing = [pair for pair in zip(ours, theirs, strict=False) if pair[0] != pair[1]]
            return any(_from_the_end(x) is not _from_the_end(y) for x, y in differing if x[0] == y[0] == "int")
    return False


def _from_the_end(part: tuple[str, object]) -> bool:
    return isinstance(part[1], Number) and part[1].is_from_the_end


def _is_off_diagonal(region: Region) -> bool:
    """Whether a view is all of a matrix but its diagonal: `x.flatten()[:-1].view(n - 1, n + 1)[:, 1:]`."""
    if len(region) < 4:
        return False
    flat, most, rows, cut = region[:4]
    reshaped = all(isinstance(shape, tuple) and shape[0] == "whole" for shape in (flat, rows))
    return (
        reshaped
        and _row_range(most) == (None, -1)
        and isinstance(cut, tuple)
        and (cut[:1] == (_ALL,) and _row_range(cut[1:]) == (1, None))
    )


def _subscripts_apart(a: tuple[object, ...], b: tuple[object, ...]) -> bool:
    for ours, theirs in zip(a, b, strict=False):
        if _parts_apart(ours, theirs) or _parts_apart(theirs, ours):
            return True
        if ours != theirs and not all(part == _ALL or _is_within_dimension(part) for part in (ours, theirs)):
            return False  # From here on they may stand for different dimensions.
    return False


def _is_within_dimension(part: object) -> TypeGuard[tuple[object, ...]]:
    return isinstance(part, tuple) and part[0] in ("int", "slice")


def _parts_apart(lower: object, upper: object) -> bool:
    """Whether one part of a dimension surely ends where the other begins, or before."""
    if not (_is_within_dimension(lower) and _is_within_dimension(upper)):
        return False
    below, above = _bounds(lower), _bounds(upper)
    if below is None or above is None or below[1] is None:
        return False
    end, start = below[1], above[0]
    if isinstance(end, int) and isinstance(start, int):
        return 0 < end <= start
    return end == start


def _parts_meet(a: object, b: object) -> bool:
    if a == b or _ALL in (a, b):
        return True
    if not (_is_within_dimension(a) and _is_within_dimension(b)):
        return False
    ours, theirs = _bounds(a), _bounds(b)
    if ours is None or theirs is None:
        return False
    if a[0] == b[0] == "slice" and (ours[0] == theirs[0] or ours[1] == theirs[1]):
        return True  # Both have the first element, or the last one.
    return _before(ours[0], theirs[1]) and _before(theirs[0], ours[1])


def _before(lower: object, upper: object) -> bool:
    """Whether a lower bound is surely below an upper one."""
    if not isinstance(lower, int) or lower < 0:
        return False
    return upper is None or (isinstance(upper, int) and lower < upper)


def _bounds(part: tuple[object, ...]) -> tuple[object, object] | None:
    """First and last bound, as numbers where they are known, None for an open end; None if there is a step."""
    if part[0] == "int":
        value = number(part[1])
        return (value, value + 1) if isinstance(value, int) else None
    if not (isinstance(part[1], tuple) and len(part[1]) == 3 and number(part[1][2]) is None):
        return None
    lower = number(part[1][0])
    return (0 if lower is None else lower, number(part[1][1]))


def number(key: object) -> object:
    """The number, or None, that a key stands for; otherwise the key."""
    return key.value if isinstance(key, Constant) else key


def shifted(a: Region, b: Region, sizes: tuple[Sizes | None, Sizes | None] = (None, None)) -> bool:
    """Whether two ranges of rows surely have a part in common, and not all: `x[1:]` and `x[:-1]`.

    Args:
        sizes: those of the two views.
    """
    if a == b or len(a) != 1 or len(b) != 1:
        return False
    ours, theirs = _row_range(a[0]), _row_range(b[0])
    rows, others = (each[0] if each else None for each in sizes)
    return _is_behind(ours, theirs, others) or _is_behind(theirs, ours, rows)


def shifted_up(a: Region, b: Region, sizes: Sizes | None = None) -> bool:
    """Whether `a` and `b` are overlapping slices, shifted in one dimension: `x[:, 1:]` and `x[:, :-1]`.

    Args:
        sizes: those of `b`.
    """
    if a[:-1] != b[:-1] or not a or not b:
        return False
    ours, theirs = a[-1], b[-1]
    if not (_is_subscript(ours) and _is_subscript(theirs)) or len(ours) != len(theirs):
        return False
    moved = [index for index, (our, their) in enumerate(zip(ours, theirs, strict=True)) if our != their]
    if len(moved) != 1:
        return False
    index = moved[0]
    dim = sum(part[0] != "int" for part in ours[:index])
    resolve = sizes is not None and dim < len(sizes) and all(part[0] != "ellipsis" for part in ours[:index])
    size = sizes[dim] if sizes is not None and resolve else None
    return _is_behind(_row_range((ours[index],)), _row_range((theirs[index],)), size)


def _is_behind(upper: Bounds | None, lower: Bounds | None, size: int | None) -> bool:
    """Whether one range is another, of a size that may be known, moved up by less than that: `n:` and `:-n`."""
    if upper is None or lower is None or upper[1] is not None or lower[0] not in (None, 0):
        return False
    start, end = upper[0], lower[1]
    if isinstance(start, int) and isinstance(end, int):
        return (0 < start < 4 and -4 < end < 0) if size is None else 0 < start < size
    return start is not None and isinstance(end, Number) and end.ends_after(start)


def row(part: Region, whole: Region) -> bool:
    """Whether a view surely is one of the rows of another, or less: `x[0]` and `x`, `x[-1:]` and `x`."""
    subscript = _below(part, whole)
    return subscript is not None and (subscript[0][0] == "int" or _is_one(_row_range(subscript[:1])))


def first_column(part: Region, whole: Region) -> bool:
    """Whether a view surely is the first column of another: `x[:, :1]` and `x`."""
    subscript = _below(part, whole)
    if subscript is None or subscript[0][0] not in ("all", "ellipsis"):
        return False
    cut = tuple(part for part in subscript if part[0] not in ("all", "ellipsis", "new"))
    return len(cut) == 1 and (number(cut[0][1]) == 0 if cut[0][0] == "int" else _row_range(cut) in ((None, 1), (0, 1)))


def _is_one(bounds: Bounds | None) -> bool:
    """Whether a range surely has one element."""
    lower, upper = bounds or (0, 0)
    start = lower or 0
    return (lower, upper) == (-1, None) or (isinstance(start, int) and isinstance(upper, int) and upper - start == 1)


def _below(part: Region, whole: Region) -> Subscript | None:
    """The one subscript that cuts a view out of another."""
    ours, theirs = extent(part), extent(whole)
    if ours is None or theirs is None or len(ours) != len(theirs) + 1 or ours[:-1] != theirs:
        return None
    last = ours[-1]
    return last if _is_subscript(last) else None


def _is_subscript(cut: object) -> TypeGuard[Subscript]:
    return isinstance(cut, tuple) and isinstance(cut[0], tuple)


def _row_range(parts: object) -> Bounds | None:
    """Bounds of a subscript that is one slice of step 1."""
    if not isinstance(parts, tuple) or len(parts) != 1 or parts[0][0] != "slice":
        return None
    lower, upper, step = map(number, parts[0][1])
    return (lower, upper) if step in (None, 1) else None


def crossed(a: Region | None, b: Region | None) -> bool:
    """Whether two views surely have the same elements in another order: `x` and `x.T`, `x[:, None]` and `x[None]`."""
    if a is None or b is None:
        return False
    ours, theirs = extent(a), extent(b)
    if ours == theirs:
        turns = sorted(sum(part[:1] == ("turned",) for part in region[len(ours or ()) :]) for region in (a, b))  # type: ignore[index]
        if any(turns):
            return turns == [0, 1]
    if not a or a[:-1] != b[:-1] or len(a) != len(b):
        return False
    axes = [_new_axes(region[-1]) for region in (a, b)]
    return None not in axes and axes[0] != axes[1]


def _new_axes(subscript: object) -> tuple[str, ...] | None:
    """Where a subscript of nothing but new axes and full ranges puts the new ones; None for another one."""
    kinds = [part[0] for part in subscript] if isinstance(subscript, tuple) and isinstance(subscript[0], tuple) else []
    if "new" not in kinds or not {"new", "all"}.issuperset(kinds):
        return None
    while kinds[-1] == "all":
        kinds.pop()
    return tuple(kinds)


def extent(region: Region | None) -> Region | None:
    """The region without the views at its end that have all elements of what they are views of."""
    while region and isinstance(region[-1], tuple) and (region[-1][0] in ("whole", "turned") or _takes_all(region[-1])):
        region = region[:-1]
    return region


def _takes_all(subscript: tuple[object, ...]) -> bool:
    """Whether a subscript has nothing but full ranges and new axes: `x[..., None]`."""
    return _is_subscript(subscript) and all(part[0] in ("all", "ellipsis", "new") for part in subscript)
