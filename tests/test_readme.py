"""The README says what is so today."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args
from xml.etree import ElementTree

import pytest

from inplace_lint.findings.registry import registry
from inplace_lint.pipeline.lint_file import lint_source
from inplace_lint.project.config import load
from inplace_lint.project.keys import Format

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.M | re.S)


def test_the_picture_shows_the_output_of_today() -> None:
    rows = ElementTree.parse(ROOT / "docs" / "terminal.svg").iter("{http://www.w3.org/2000/svg}text")
    prompt, *shown = ["".join(row.itertext()) for row in rows]
    assert prompt.startswith("$ inplace-lint ")
    command = [sys.executable, "-m", "inplace_lint", "check", "--isolated", "--color=never", *prompt.split()[2:]]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8")
    assert shown == run.stdout.splitlines(), "run `python docs/terminal.py`"
    assert "docs/terminal.svg" in README


def test_the_tests_are_run_as_ci_runs_them() -> None:
    (command,) = re.findall(r"python (-m pytest.*)$", README, re.M)
    assert "-n auto" in command
    assert f"python {command} |" in (ROOT / ".ci" / "run").read_text("utf-8")


def test_the_site_gives_the_same_figures() -> None:
    home = (ROOT / "docs" / "index.md").read_text("utf-8")
    for figure in (
        r"more than [\d,]+",
        r"\b\d+ bugs in \d+|\b\d+ in \d+ released",
        r"\b\d+ findings in \d+",
        r"\d+ were bugs",
    ):
        of_readme, of_site = (re.findall(r"\d[\d,]*", " ".join(re.findall(figure, text))) for text in (README, home))
        assert of_readme == of_site != []
    found = re.search(r"\d+ in \d+ libraries", (ROOT / "docs" / "found.md").read_text("utf-8"))
    assert found is not None
    assert found[0].replace(" libraries", " released libraries") in README


def test_what_is_counted_is_there() -> None:
    """More than the README says, and not so much more that it should say so."""
    ops = json.loads((ROOT / "inplace_lint" / "torch_model" / "ops.json").read_text("utf-8"))["ops"]
    cases = [
        name
        for file in (ROOT / "tests" / "cases").glob("*.py")
        for name in re.findall(r"^def case_", file.read_text("utf-8"), re.M)
    ]
    counted = {"[operations]": len(ops), "[test cases]": len(cases)}
    told = {
        what: int(number.replace(",", "")) for number, what in re.findall(r"more than ([\d,]+) (\[[a-z ]+\])", README)
    }
    assert told.keys() == counted.keys()
    assert all(number < counted[what] < 1.25 * number for what, number in told.items())


def test_the_table_lists_the_rules() -> None:
    listed = re.findall(r"^\| (IPL\d{3}) \| (\S+) \| (.+) \|$", README, re.M)
    rules = [entry.rule for entry in registry().values()]
    notes = {True: "", False: " (off unless selected)"}
    assert listed == [(rule.code, rule.name, rule.summary + notes[rule.default]) for rule in rules]


def test_the_formats_are_all() -> None:
    (listed,) = re.findall(r"^Output formats: (.*?)\.$", README, re.M | re.S)
    assert re.findall("`(.*?)`", listed) == list(get_args(Format))


def test_the_configuration_is_valid(tmp_path: Path) -> None:
    (example,) = blocks("toml")
    file = tmp_path / "pyproject.toml"
    file.write_text(example, "utf-8")
    assert load(file).fail_on == "warning"


@pytest.mark.parametrize("line", blocks("python")[0].splitlines())
def test_the_comments_suppress(line: str) -> None:
    program = "import torch\nx = torch.randn(3)\ny = x * torch.sigmoid_(x)\nprint(y)\n"
    assert [found.code for found in lint_source(program)] == ["IPL302"]
    hazard, _, comment = line.rpartition("#")
    marked = program.replace("(x)\n", f"(x)  #{comment}\n")
    assert hazard.strip() in ("", "x * torch.sigmoid_(x)")
    assert lint_source(marked) == []
