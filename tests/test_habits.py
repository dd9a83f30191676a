"""Each habit decides about the example in its definition, which real PyTorch runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from torch_oracle import Finished, run

from inplace_lint.judgement.reason import Reason
from inplace_lint.pipeline.lint_file import lint_source
from inplace_lint.project.config import Config
from inplace_lint.why.habits import habits, reasons

HABITS = pytest.mark.parametrize("habit", habits().values(), ids=lambda habit: habit.name)


@pytest.fixture
def without(habit: Reason) -> Iterator[None]:
    habit.on = False
    yield
    habit.on = True


def _codes(program: str) -> set[str]:
    found = lint_source(program, "example.py", Config(select=("ALL",)))
    return {diagnostic.code for diagnostic in found if diagnostic.severity != "info"}


@HABITS
def test_the_example_is_a_program_that_works(habit: Reason) -> None:
    assert isinstance(run(habit.program), Finished)
    assert habit.program.startswith("import ")


@HABITS
def test_with_the_habit_the_example_is_judged_by_it(habit: Reason) -> None:
    assert bool(_codes(habit.program)) == (habit.kind is not None)


@HABITS
@pytest.mark.usefixtures("without")
def test_without_the_habit_the_example_is_judged_otherwise(habit: Reason) -> None:
    otherwise = _codes(habit.program)
    habit.on = True
    assert otherwise != _codes(habit.program)


def test_the_documentation_has_them_all() -> None:
    page = (Path(__file__).parent.parent / "docs" / "habits.md").read_text("utf-8")
    rows = re.findall(r"^\| `([a-z-]+)` \| (.*?) \|", page, re.M)
    assert rows == [(habit.name, habit.says) for habit in habits().values()]


def test_reasons_have_names_and_sentences_of_one_kind() -> None:
    names = [reason.name for reason in reasons()]
    assert len(names) == len(set(names))
    for reason in reasons():
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", reason.name)
        assert re.fullmatch(r"([a-z`]|PyTorch )[^\n]*[^.\n]", reason.says), reason.says
