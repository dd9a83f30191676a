"""The choices of a path."""

from __future__ import annotations

from inplace_lint.effort import Effort
from inplace_lint.interpret.analysis.exploration import Exploration
from inplace_lint.interpret.state.branches import Branch
from inplace_lint.interpret.state.oracle import Oracle
from inplace_lint.interpret.state.program import Program
from inplace_lint.source import ir
from inplace_lint.source.lower import lower


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


def test_a_choice_leads_to_a_write_from_another_path_than_that_where_it_was_made() -> None:
    file = Program(lambda path: None, lower).add("f.py", "if inverse:\n    pass\nelse:\n    x.mul_(2)\n")
    [test] = file.code.body
    assert isinstance(test, ir.If)
    followed: list[tuple[int, ...]] = []

    def run(oracle: Oracle) -> None:
        inverse, curved, *_ = [oracle.choose(2) == 0 for _ in range(4)]
        if not curved:
            oracle.enter(Branch(test, inverse, None, file), 0)
        followed.append(tuple(choice for choice, _ in oracle.taken))

    exploration = Exploration(100, 200, leads=lambda branch: not branch.holds)
    exploration.go_on(6, run)
    assert followed[-2:] == [(0, 1, 0, 0), (1, 1, 0, 0)]
