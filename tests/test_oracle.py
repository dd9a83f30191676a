"""The choices of a path."""

from __future__ import annotations

from inplace_lint.interpret.state.oracle import Oracle


def test_a_choice_that_is_not_there_any_more_falls_back_to_the_first() -> None:
    oracle = Oracle((3, 1))
    assert [oracle.choose(2), oracle.choose(2), oracle.choose(2)] == [0, 1, 0]
    assert oracle.taken == [(0, 2), (1, 2), (0, 2)]
