"""The examples in the rules' documentation, judged by real PyTorch and by the linter."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from expectations import expected, reported
from torch_oracle import AGAIN, REFUSALS, Outcome, Raised, differs, finished, load, overwriting_lines, raised, run

SEVERITY = {"1": "error", "2": "error", "3": "warning", "4": "warning", "5": "info"}
RULES = Path(__file__).parent.parent / "rules"


@dataclass(frozen=True)
class Example:
    code: str
    section: str
    number: int
    text: str

    @property
    def path(self) -> str:
        return f"{self.code}-{self.section}-{self.number}.py".lower()


def _examples() -> list[Example]:
    found = []
    for path in sorted(RULES.glob("ipl[1-5]*.py")):
        documentation = ast.get_docstring(ast.parse(path.read_text())) or ""
        for section in ("Bad", "Good"):
            body = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", documentation, re.M | re.S)
            assert body, f"{path.name} has no section {section}"
            blocks = re.findall(r"^```python\n(.*?)^```$", body.group(1), re.M | re.S)
            assert blocks, f"{path.name} has no example under {section}"
            found += [Example(path.name[:6].upper(), section, number, block) for number, block in enumerate(blocks)]
    return found


EXAMPLES = _examples()
BAD = [example for example in EXAMPLES if example.section == "Bad"]
GOOD = [example for example in EXAMPLES if example.section == "Good"]


def _path(example: Example) -> str:
    return example.path


def _quoted(code: str) -> list[str]:
    """The messages of PyTorch that a rule quotes, as indented paragraphs."""
    (path,) = RULES.glob(f"{code.lower()}_*.py")
    documentation = ast.get_docstring(ast.parse(path.read_text())) or ""
    paragraphs = re.findall(r"^    RuntimeError: .*\n(?:    .*\n)*", documentation, re.M)
    return [" ".join(p.split()).removeprefix("RuntimeError: ") for p in paragraphs]


def _run(example: Example) -> Outcome:
    return run(example.text, example.path)


def _cure(bad: Example) -> Example:
    return next(good for good in GOOD if (good.code, good.number) == (bad.code, bad.number))


def _with_all_rules(example: Example) -> set[tuple[int, str, str]]:
    from inplace_lint.pipeline.lint_file import lint_source
    from inplace_lint.project.config import Config

    return reported(lint_source(example.text, example.path, Config(select=("ALL",))))


@pytest.mark.parametrize("example", GOOD, ids=_path)
def test_torch_runs_the_good_example(example: Example) -> None:
    assert not expected(example.text)
    finished(_run(example))


@pytest.mark.parametrize("example", BAD, ids=_path)
def test_torch_agrees_with_the_bad_example(example: Example) -> None:
    marks = expected(example.text)
    assert {code for _, _, code in marks} == {example.code}
    raises = example.code == "IPL501"
    assert {severity for _, severity, _ in marks} == {"error" if raises else SEVERITY[example.code[3]]}
    rows = {row for row, _, _ in marks}
    match example.code[3]:
        case "1":
            refusal = raised(_run(example), "forward")
            assert refusal.line in rows
            assert re.match(REFUSALS[example.code], refusal.message)
        case "2":
            refusal = raised(_run(example), "backward")
            if example.code == "IPL204":
                assert re.match(AGAIN, refusal.message)
            else:
                assert rows <= overwriting_lines(lambda: load(example.text, example.path), example.path)
        case "3" | "4":
            result = finished(_run(example)).result
            assert differs(result, finished(_run(_cure(example))).result)
        case _:
            pass  # Each piece of advice has a test of its own.


@pytest.mark.parametrize("example", [bad for bad in BAD if bad.code[3] in "12" or bad.code == "IPL501"], ids=_path)
def test_the_quoted_message_is_what_torch_says(example: Example) -> None:
    outcome = _run(example)
    assert isinstance(outcome, Raised), outcome
    # Which tensor it was, and at which version, differs from one example to the next.
    tensor = re.compile(r"\[torch\.\w+ \[[\d, ]*\]\], which is output \d+ of \w+, is at version.*")
    quoted = [tensor.sub("", message) for message in _quoted(example.code)]
    assert any(tensor.sub("", outcome.message).startswith(message) for message in quoted)


@pytest.mark.parametrize("example", [bad for bad in BAD if bad.code == "IPL501"])
def test_transforms_refuse_the_write(example: Example) -> None:
    raised(_run(example), "forward")


@pytest.mark.parametrize("example", [bad for bad in BAD if bad.code == "IPL502"])
def test_the_in_place_form_holds_as_many_bytes(example: Example) -> None:
    assert finished(_run(example)).result == finished(_run(_cure(example))).result


@pytest.mark.parametrize("example", BAD, ids=_path)
def test_linter_flags_the_bad_example(example: Example) -> None:
    # Advice of other rules is beside the point of an example.
    shown = {
        (row, severity, code)
        for row, severity, code in _with_all_rules(example)
        if severity != "info" or code == example.code
    }
    assert shown == expected(example.text)


@pytest.mark.parametrize("example", GOOD, ids=_path)
def test_linter_is_silent_on_the_good_example(example: Example) -> None:
    assert not {found for found in _with_all_rules(example) if found[1] != "info"}
