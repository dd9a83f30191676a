"""Parts of a storage that subscripts cut out, and whether two of them surely meet, or surely do not.

A region says how a view was made, outermost step first: by subscripts, and by views of other kinds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from inplace_lint.torch_model.constant import Constant, Number
from inplace_lint.torch_model.subscript import FULL, Full, IndexPart, NewAxis, Position, Range, Rest, Subscript

# All elements, all with the dimensions in another order, the main diagonal of a matrix, a part of complex numbers, or
# any others.
Shown = Literal["whole", "turned", "diagonal", "real", "imaginary", "view"]


@dataclass(frozen=True, slots=True)
class View:
    """A view that no subscript makes, by which elements it shows; each has a number of its own."""

    shows: Shown
    number: int


Step = Subscript | View
Region = tuple[Step, ...]
Bounds = tuple[object, object]
Sizes = Sequence[int | None]

_TAKING_ALL = (Full, Rest, NewAxis)


def meet(a: Region, b: Region) -> bool:
    """Whether two views surely have an element in common, none of them being empty."""
    if len(a) != len(b):
        a, b = _joined(a), _joined(b)
    for index, (ours, theirs) in enumerate(zip(a, b, strict=False)):
        if ours == theirs:
            continue
        if not _steps_meet(ours, theirs):
            return False
        if (len(b) == index + 1 and _includes(theirs, ours)) or (len(a) == index + 1 and _includes(ours, theirs)):
            return True
        # What later subscripts take out of different parts may lie anywhere.
        return len(a) == len(b) == index + 1
    return True


def _includes(whole: Step, part: Step) -> bool:
    """Whether one step surely takes all that another one takes: `x[:, 2:]` all of `x[0, 2:]`."""
    if isinstance(whole, View) or isinstance(part, View):
        return False
    if not all(isinstance(each, (Position, Range, Full)) for each in (*whole, *part)):
        return False
    return all(ours == theirs or isinstance(ours, Full) for ours, theirs in zip_longest(whole, part, fillvalue=FULL))


def _steps_meet(a: Step, b: Step) -> bool:
    if isinstance(a, View) or isinstance(b, View):
        return any(isinstance(each, tuple) and all(part == FULL for part in each) for each in (a, b))
    return all(
        _parts_meet(ours, theirs) or _is_among_rest(a, b, index) or _is_among_rest(b, a, index)
        for index, (ours, theirs) in enumerate(zip_longest(a, b, fillvalue=FULL))
    )


def _is_among_rest(a: Subscript, b: Subscript, index: int) -> bool:
    """Whether the last part of `b` is about a dimension that `...` in `a` stands for: it hardly stands for none."""
    return index < len(a) and isinstance(a[index], Rest) and index == len(b) - 1


def _joined(region: Region) -> Region:
    """A region in which `x[0][2:]` is spelled as `x[0, 2:]`, and `x[:, 2:][0]` as well."""
    joined: list[Step] = []
    for step in region:
        last = joined[-1] if joined else None
        both = _in_one(last, step) if isinstance(last, tuple) and isinstance(step, tuple) else None
        if both is not None:
            joined[-1] = both
        else:
            joined.append(step)
    return tuple(joined)


def _in_one(first: Subscript, then: Subscript) -> Subscript | None:
    """One subscript for two, one after the other; None if there is none of this form."""
    left = list(then)
    both: list[IndexPart] = []
    for part in first:
        if isinstance(part, Position) or not left:
            both.append(part)
        elif isinstance(part, Full):
            both.append(left.pop(0))
        elif isinstance(part, Range) and isinstance(left[0], Full):
            both.append(part)
            left.pop(0)
        else:
            return None
    plain = all(isinstance(part, (Position, Range, Full)) for part in (*first, *then))
    return (*both, *left) if plain or all(isinstance(part, Position) for part in first) else None


def apart(a: Region | None, b: Region | None) -> bool:
    """Whether two views surely have no element in common: `x[:, :n]` and `x[:, n:]`."""
    for index, (ours, theirs) in enumerate(zip(a or (), b or (), strict=False)):
        if ours != theirs:
            if _is_diagonal(ours) or _is_diagonal(theirs):
                return any(region is not None and _is_off_diagonal(region[index:]) for region in (a, b))
            if isinstance(ours, View) and isinstance(theirs, View):
                return {ours.shows, theirs.shows} == {"real", "imaginary"}
            return isinstance(ours, tuple) and isinstance(theirs, tuple) and _subscripts_apart(ours, theirs)
    return False


def _is_diagonal(step: Step) -> bool:
    return isinstance(step, View) and step.shows == "diagonal"


def at_opposite_ends(a: Region | None, b: Region | None) -> bool:
    """Whether of two views one is at a position counted from the end, and the other at one counted from the front."""
    for ours, theirs in zip(a or (), b or (), strict=False):
        if ours != theirs:
            if isinstance(ours, View) or isinstance(theirs, View):
                return False
            differing = [pair for pair in zip(ours, theirs, strict=False) if pair[0] != pair[1]]
            return any(_from_the_end(x) is not _from_the_end(y) for x, y in differing if _are_positions(x, y))
    return False


def _are_positions(a: IndexPart, b: IndexPart) -> bool:
    return isinstance(a, Position) and isinstance(b, Position)


def _from_the_end(part: IndexPart) -> bool:
    return isinstance(part, Position) and isinstance(part.at, Number) and part.at.is_from_the_end


def _is_off_diagonal(region: Region) -> bool:
    """Whether a view is all of a matrix but its diagonal: `x.flatten()[:-1].view(n - 1, n + 1)[:, 1:]`."""
    if len(region) < 4:
        return False
    flat, most, rows, cut = region[:4]
    reshaped = all(isinstance(shape, View) and shape.shows == "whole" for shape in (flat, rows))
    return (
        reshaped
        and _row_range(most) == (None, -1)
        and isinstance(cut, tuple)
        and (cut[:1] == (FULL,) and _row_range(cut[1:]) == (1, None))
    )


def _subscripts_apart(a: Subscript, b: Subscript) -> bool:
    for ours, theirs in zip(a, b, strict=False):
        if _parts_apart(ours, theirs) or _parts_apart(theirs, ours):
            return True
        if ours != theirs and not all(isinstance(part, (Full, Position, Range)) for part in (ours, theirs)):
            return False  # From here on they may stand for different dimensions.
    return False


def _parts_apart(lower: IndexPart, upper: IndexPart) -> bool:
    """Whether one part of a dimension surely ends where the other begins, or before."""
    below, above = _bounds(lower), _bounds(upper)
    if below is None or above is None or below[1] is None:
        return False
    end, start = below[1], above[0]
    if isinstance(end, int) and isinstance(start, int):
        return 0 < end <= start
    return end == start


def _parts_meet(a: IndexPart, b: IndexPart) -> bool:
    if a == b or isinstance(a, Full) or isinstance(b, Full):
        return True
    ours, theirs = _bounds(a), _bounds(b)
    if ours is None or theirs is None:
        return False
    if ours[0] == theirs[0] or ours[1] == theirs[1]:
        return True  # Both have the first element, or the last one.
    return _before(ours[0], theirs[1]) and _before(theirs[0], ours[1])


def _before(lower: object, upper: object) -> bool:
    """Whether a lower bound is surely below an upper one."""
    if not isinstance(lower, int) or lower < 0:
        return False
    return upper is None or (isinstance(upper, int) and lower < upper)


def _bounds(part: IndexPart) -> Bounds | None:
    """First and last bound of a position or range, as numbers where they are known, None for an open end.

    None for other parts, and if there is a step.
    """
    if isinstance(part, Position):
        value = number(part.at)
        return (value, value + 1) if isinstance(value, int) else None
    if not isinstance(part, Range) or number(part.step) is not None:
        return None
    lower = number(part.lower)
    return (0 if lower is None else lower, number(part.upper))


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
    if isinstance(ours, View) or isinstance(theirs, View) or len(ours) != len(theirs):
        return False
    moved = [index for index, (our, their) in enumerate(zip(ours, theirs, strict=True)) if our != their]
    if len(moved) != 1:
        return False
    index = moved[0]
    dim = sum(not isinstance(part, Position) for part in ours[:index])
    resolve = sizes is not None and dim < len(sizes) and not any(isinstance(part, Rest) for part in ours[:index])
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
    return subscript is not None and (isinstance(subscript[0], Position) or _is_one(_row_range(subscript[:1])))


def first_column(part: Region, whole: Region) -> bool:
    """Whether a view surely is the first column of another: `x[:, :1]` and `x`."""
    subscript = _below(part, whole)
    if subscript is None or not isinstance(subscript[0], (Full, Rest)):
        return False
    cut = tuple([part for part in subscript if not isinstance(part, _TAKING_ALL)])
    if len(cut) != 1:
        return False
    return number(cut[0].at) == 0 if isinstance(cut[0], Position) else _row_range(cut) in ((None, 1), (0, 1))


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
    return last if isinstance(last, tuple) else None


def _row_range(step: Step) -> Bounds | None:
    """Bounds of a subscript that is one slice of step 1."""
    part = step[0] if isinstance(step, tuple) and len(step) == 1 else None
    if not isinstance(part, Range) or number(part.step) not in (None, 1):
        return None
    return number(part.lower), number(part.upper)


def crossed(a: Region | None, b: Region | None) -> bool:
    """Whether two views surely have the same elements in another order: `x` and `x.T`, `x[:, None]` and `x[None]`."""
    if a is None or b is None:
        return False
    ours, theirs = extent(a), extent(b)
    if ours == theirs:
        turns = sorted(sum(map(_is_turned, region[len(ours or ()) :])) for region in (a, b))
        if any(turns):
            return turns == [0, 1]
    if not a or a[:-1] != b[:-1] or len(a) != len(b):
        return False
    axes = [_new_axes(region[-1]) for region in (a, b)]
    return None not in axes and axes[0] != axes[1]


def _is_turned(step: Step) -> bool:
    return isinstance(step, View) and step.shows == "turned"


def _new_axes(step: Step) -> Subscript | None:
    """Where a subscript of nothing but new axes and full ranges puts the new ones; None for another one."""
    parts = list(step) if isinstance(step, tuple) else []
    is_new = [isinstance(part, NewAxis) for part in parts]
    if not any(is_new) or not all(new or isinstance(part, Full) for new, part in zip(is_new, parts, strict=True)):
        return None
    while isinstance(parts[-1], Full):
        parts.pop()
    return tuple(parts)


def extent(region: Region | None) -> Region | None:
    """The region without the views at its end that have all elements of what they are views of."""
    while region and _takes_all(region[-1]):
        region = region[:-1]
    return region


def _takes_all(step: Step) -> bool:
    """Whether all elements are left: by a subscript, if it has but full ranges and new axes, as `x[..., None]`."""
    if isinstance(step, View):
        return step.shows in ("whole", "turned")
    return all(isinstance(part, _TAKING_ALL) for part in step)
