"""Parts of a storage, held against the elements that PyTorch's subscripts cut out."""

from __future__ import annotations

from itertools import product

import pytest
import torch
from linted import linted

from inplace_lint.torch_model.constant import Constant
from inplace_lint.torch_model.regions import View, apart, first_column, meet, row, shifted, shifted_up
from inplace_lint.torch_model.subscript import FULL, IndexPart, Position, Range, Rest

_BOUNDS = (None, 0, 1, 2, 3, -1)


def _part(index: object) -> IndexPart:
    if index is ...:
        return Rest()
    if index == slice(None):
        return FULL
    if isinstance(index, slice):
        return Range(*map(Constant, (index.start, index.stop, index.step)))
    assert isinstance(index, int)
    return Position(Constant(index))


def _elements(*indices: object) -> set[int]:
    return set(torch.arange(9).reshape(3, 3)[indices].flatten().tolist())


_SUBSCRIPTS = [slice(None), *range(-1, 3), *(slice(*pair) for pair in product(_BOUNDS, _BOUNDS))]
_FIRST = [..., slice(None), 0, 1]


@pytest.mark.parametrize("first", _FIRST)
@pytest.mark.parametrize("other", _FIRST)
def test_what_is_said_of_two_parts_holds(first: object, other: object) -> None:
    met, parted = 0, 0
    for ours, theirs in product(_SUBSCRIPTS, _SUBSCRIPTS):
        mine, yours = _elements(first, ours), _elements(other, theirs)
        a, b = ((_part(first), _part(ours)),), ((_part(other), _part(theirs)),)
        if apart(a, b):
            parted += 1
            assert not mine & yours, (first, ours, other, theirs)
        if mine and yours and meet(a, b):
            met += 1
            assert mine & yours, (first, ours, other, theirs)
    assert first != other or min(met, parted) > 50


@pytest.mark.parametrize(
    "first", [(slice(None), slice(1, None)), (slice(None), slice(None, 2)), (slice(None), slice(None))]
)
@pytest.mark.parametrize("then", [(0,), (1,), (slice(None), 0), (slice(1, None),), (0, 1)])
def test_one_subscript_after_another(first: tuple[object, ...], then: tuple[object, ...]) -> None:
    twice = set(torch.arange(9).reshape(3, 3)[first][then].flatten().tolist())
    region = tuple(tuple(map(_part, each)) for each in (first, then))
    for other in product(_SUBSCRIPTS, _SUBSCRIPTS):
        elements = _elements(*other)
        subscript = (tuple(map(_part, other)),)
        assert not (elements and meet(region, subscript)) or twice & elements, other
        assert not apart(region, subscript) or not twice & elements, other


def test_parts_of_the_same_view() -> None:
    whole = View("view", 1)
    left, right = ((_part(slice(None)), _part(slice(None, 2)))), ((_part(slice(None)), _part(slice(2, None))))
    assert apart((whole, left), (whole, right))
    assert not meet((whole, left), (whole, right))
    assert meet((whole, left), (whole, (_part(slice(None)), _part(slice(1, None)))))
    assert not apart((whole, left), (View("view", 2), right))


def test_parts_with_the_same_end_have_the_last_element() -> None:
    one, other = (Range(start, Constant(None), Constant(None)) for start in ("n", "m"))
    assert meet(((one,),), ((other,),))
    assert not meet(((one,),), ((Range(Constant(None), "m", Constant(None)),),))


def _written(target: tuple[object, ...], source: tuple[object, ...], op: str) -> tuple[torch.Tensor, torch.Tensor]:
    """A matrix after a write from one part of it to another, and what that would be from a copy."""
    found, wanted = torch.arange(16.0).reshape(4, 4) + 1, torch.arange(16.0).reshape(4, 4) + 1
    getattr(found[target], op)(found[source])
    getattr(wanted[target], op)(wanted[source].clone())
    return found, wanted


def test_what_is_moved_up_is_lost() -> None:
    told = 0
    for ours, theirs in product(_SUBSCRIPTS, _SUBSCRIPTS):
        target, source = (slice(None), ours), (slice(None), theirs)
        if not shifted_up((tuple(map(_part, target)),), (tuple(map(_part, source)),)):
            continue
        told += 1
        if _elements(*target) and torch.empty(4, 4)[target].shape == torch.empty(4, 4)[source].shape:
            found, wanted = _written(target, source, "copy_")
            assert not torch.equal(found, wanted), (ours, theirs)
    assert told


@pytest.mark.parametrize("rows", [2, 3, 4, 6, 7])
@pytest.mark.parametrize("by", [1, 2, 3])
def test_rows_whose_number_is_known_are_told_to_overlap_when_they_do(rows: int, by: int) -> None:
    if by >= rows:
        return
    x, upper, lower = torch.zeros(rows, 2), slice(by, None), slice(None, -by)
    try:
        x[upper] = x[lower]
        refused = False
    except RuntimeError:
        refused = True
    regions = [(tuple(map(_part, (cut,))),) for cut in (upper, lower)]
    assert shifted(*regions, ((rows - by, 2), (rows - by, 2))) is refused
    assert shifted_up(*regions, (rows - by, 2)) is refused


@pytest.mark.parametrize("first", _FIRST)
def test_a_row_or_a_first_column_of_what_is_written(first: object) -> None:
    rows, columns = 0, 0
    for cut in _SUBSCRIPTS:
        region = (tuple(map(_part, (first, cut))),)
        if row(region, ()):
            rows += 1
            with pytest.raises(RuntimeError, match=r"some elements of the input tensor|must match the size"):
                _written((...,), (first, cut), "sub_")
        elif first_column(region, ()) and isinstance(cut, slice):
            columns += 1
            found, wanted = _written((...,), (first, cut), "sub_")
            assert not torch.equal(found, wanted), (first, cut)
    assert bool(rows) is isinstance(first, int)
    assert bool(columns) is not isinstance(first, int)


SHIFTED = """
import torch


class History:
    def __init__(self, width, times, size):
        self.width, self.times, self.size = width, times, size
        self.values = torch.zeros(4, size)

    def shift(self):
        self.values[:, self.width :] = self.values[:, : {end}]
"""


@pytest.mark.parametrize(
    ("end", "codes"),
    [
        ("-self.width", ["IPL104"]),
        ("self.size - self.width", ["IPL104"]),
        ("self.width * (self.times - 1)", ["IPL104"]),
        ("3 * self.width", ["IPL104"]),
        ("self.width", []),
        ("self.size // 2", []),
        ("self.width * self.times", []),
    ],
)
def test_ranges_of_unknown_length_that_are_shifted(end: str, codes: list[str]) -> None:
    assert [each.code for each in linted(SHIFTED.format(end=end).encode(), "program.py")] == codes
