"""The choices of a path."""

from __future__ import annotations

from inplace_lint.effort import Effort
from inplace_lint.interpret.state.oracle import Exploration, Oracle


def test_a_choice_that_is_not_there_any_more_falls_back_to_the_first() -> None:
    oracle = Oracle((3, 1))
    assert [oracle.choose(2), oracle.choose(2), oracle.choose(2)] == [0, 1, 0]
    assert oracle.taken == [(0, 2), (1, 2), (0, 2)]


def test_short_loops_begin_with_as_many_paths_as_whole_ones() -> None:
    followed: list[tuple[int, ...]] = []

    def run(oracle: Oracle) -> None:
        for _ in range(2 if oracle.short else 4):
            oracle.choose(2)
        oracle.steps += 2 if oracle.short else 50
        followed.append(tuple(choice for choice, _ in oracle.taken))

    exploration = Exploration(100, 200, Effort(left=1, most=100))
    exploration.go_on(1, run)
    exploration.shorten()
    exploration.go_on(10, run)
    assert followed == [(0, 0, 0, 0), (0, 0), (1, 0), (0, 1)]
