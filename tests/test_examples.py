"""The example programs: what they print is what their README says, and the linter sees the hazards."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest
import torch
from expectations import expected, reported

EXAMPLES = Path(__file__).parent.parent / "examples"
PROGRAMS = sorted(EXAMPLES.glob("*.py"))
PRINTED = dict(
    re.findall(
        r"^## \[(\S+)\].*?^```text\n(.*?)^```$",
        (EXAMPLES / "README.md").read_text(),
        re.M | re.S,
    )
)


def test_the_readme_names_every_program() -> None:
    assert sorted(PRINTED) == [program.name for program in PROGRAMS]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_program_prints_what_the_readme_says(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    torch.manual_seed(0)
    runpy.run_path(str(program), run_name="__main__")
    assert capsys.readouterr().out == PRINTED[program.name]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_linter_agrees(program: Path) -> None:
    from inplace_lint.pipeline.lint_file import lint_source
    from inplace_lint.project.config import Config

    text = program.read_text()
    wanted = expected(text)
    found = reported(lint_source(text, str(program), Config(select=("ALL",))))
    # Advice that no comment asks for is beside the point of an example.
    assert {mark for mark in found if mark[1] != "info" or mark in wanted} == wanted
