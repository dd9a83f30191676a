"""What unknowns are made of, and when two are one."""

from __future__ import annotations

import math

from inplace_lint.interpret.state.keys import Binary, Item, Key, Parameter, key_of
from inplace_lint.interpret.state.made_of import parameters_of
from inplace_lint.source.place import Span
from inplace_lint.torch_model.constant import Constant


def test_constants_of_different_types_are_different() -> None:
    assert len({Constant(1), Constant(1.0), Constant(True), Constant("1"), Constant(None)}) == 5


def test_equal_constants_are_one() -> None:
    assert {Constant("ab"): 1}[Constant("a" + "b")] == 1
    assert Constant(math.nan) == Constant(math.nan)  # as it is found again in a dictionary


def test_equal_things_have_one_key_and_others_another() -> None:
    place = Item(key_of(("x",)), Constant(0))
    assert key_of(place) is key_of(Item(key_of(("x",)), Constant(0)))
    assert key_of(place) is not key_of(Item(key_of(("x",)), Constant(False)))
    assert key_of(key_of(place)) is key_of(place)


def test_what_is_doubled_again_and_again_stays_cheap() -> None:
    doubled: Key = key_of(("n",))
    other: Key = key_of(("n",))
    for _ in range(200):
        doubled, other = key_of(Binary("+", doubled, doubled)), key_of(Binary("+", other, other))
    assert doubled is other


def test_the_parameters_of_what_is_doubled_again_and_again_are_found_at_once() -> None:
    doubled = given = key_of(Parameter("a.py", Span(1, 6, 1, 7)))
    for _ in range(200):
        doubled = key_of(Binary("+", doubled, doubled))
    assert parameters_of(doubled) == parameters_of(given) != frozenset()
