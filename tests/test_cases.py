"""The cases, judged by real PyTorch and by the linter.

Each `case_...` function of `cases/*.py` is a program; the functions and classes it uses belong to
it. Its expected findings say what PyTorch must do: raise at the line of an `error` of family 1xx,
raise in backward for 2xx, and otherwise finish. A case with a `warning` has a twin `..._cured`
that returns something else. An `open_...` function takes a tensor, a dictionary with one, or a pair; its
warnings come true if that requires grad, or (IPL305) in that it has other values then.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
import torch
from expectations import Expected, expected, reported
from observed import observed
from torch_oracle import (
    AGAIN,
    REFUSALS,
    Outcome,
    called_with,
    differs,
    finished,
    load,
    observe,
    overwriting_lines,
    raised,
)

from inplace_lint.findings.diagnostic import Diagnostic, Role

FILES = sorted((Path(__file__).parent / "cases").glob("*.py"))


@dataclass(frozen=True)
class Case:
    file: Path
    name: str
    marks: frozenset[Expected]

    def program(self, suffix: str = "") -> Callable[..., object]:
        function: Callable[..., object] = load(self.file.read_text(), str(self.file))[self.name + suffix]
        return function

    def run(self, suffix: str = "") -> Outcome:
        return observe(self.program(suffix), str(self.file))


def _cases(file: Path) -> list[Case]:
    text = file.read_text()
    marks = expected(text)
    top_level = {node.name: node for node in ast.parse(text).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    cases = []
    for name in top_level:
        if name.startswith(("case_", "open_")):
            parts = [top_level[used] for used in _used(name, top_level)]
            rows = {row for part in parts for row in range(part.lineno, (part.end_lineno or 0) + 1)}
            cases.append(Case(file, name, frozenset(mark for mark in marks if mark[0] in rows)))
    return cases


def _used(name: str, top_level: Mapping[str, ast.stmt]) -> set[str]:
    """The top-level functions and classes that one of them leads to, itself among them."""
    seen: set[str] = set()
    pending = [name]
    while pending:
        if (current := pending.pop()) not in seen:
            seen.add(current)
            pending += _names(top_level[current]) & top_level.keys()
    return seen


@cache
def _names(node: ast.stmt) -> frozenset[str]:
    return frozenset(each.id for each in ast.walk(node) if isinstance(each, ast.Name))


EVERY = [case for file in FILES for case in _cases(file)]
CASES = [case for case in EVERY if case.name.startswith("case_")]
OPEN = [case for case in EVERY if case.name.startswith("open_")]


def _name(case: Case) -> str:
    return f"{case.file.stem}-{case.name}"


@cache
def write_rows(file: Path) -> dict[int, set[int]]:
    """Where the modules write whose construction has a finding."""
    found: dict[int, set[int]] = {}
    for each in observed(file).diagnostics:
        if each.site not in each.write_sites:
            found.setdefault(each.site.span.row, set()).update(site.span.row for site in each.write_sites)
    return found


@pytest.mark.parametrize("case", CASES, ids=_name)
def test_torch_agrees(case: Case) -> None:
    errors = {(row, code) for row, severity, code in case.marks if severity == "error"}
    outcome = case.run()
    if any(code[3] == "1" for _, code in errors):
        refusal = raised(outcome, "forward")
        codes = dict(errors)
        assert refusal.line in codes
        assert re.match(REFUSALS[codes[refusal.line]], refusal.message)
    elif errors:
        refusal = raised(outcome, "backward")
        stale = {row for row, code in errors if code != "IPL204"}
        if stale:
            overwriting = overwriting_lines(case.program(), str(case.file))
            assert all(write_rows(case.file).get(row, {row}) & overwriting for row in stale)
        else:
            assert re.match(AGAIN, refusal.message)
    else:
        result = finished(outcome).result
        if any(severity == "warning" for _, severity, _ in case.marks):
            assert differs(result, finished(case.run("_cured")).result)


@pytest.mark.parametrize("case", OPEN, ids=_name)
def test_torch_agrees_if_the_argument_requires_grad(case: Case) -> None:
    def differentiated() -> torch.Tensor:
        x = torch.rand(4, requires_grad=True)
        out = called_with(case.program(), x * 1)
        assert isinstance(out, torch.Tensor)
        if out.requires_grad:
            torch.autograd.backward(out.sum())
        return out

    outcome = observe(differentiated, str(case.file))
    if not case.marks:
        finished(outcome)
    for row, severity, code in case.marks:
        assert severity != "error"
        if code == "IPL305":
            assert _changes_its_argument(case)
            continue
        refusal = raised(outcome, "forward" if code[3] == "1" else "backward")
        assert code[3] != "1" or refusal.line == row
    finished(observe(lambda: called_with(case.program(), torch.rand(4)), str(case.file)))


def _changes_its_argument(case: Case) -> bool:
    given = torch.rand(4)
    before = given.clone()
    called_with(case.program(), given)
    return not torch.equal(given, before)


def test_cured_twins_expect_nothing() -> None:
    assert not [case for case in CASES if case.name.endswith("_cured") and case.marks]


def test_names_stand_once() -> None:
    for file in FILES:
        defined = [
            node for node in ast.parse(file.read_text()).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))
        ]
        names = [node.name for node in defined if isinstance(node, ast.ClassDef) or node.name.startswith("case_")]
        assert len(names) == len(set(names)), file


_SAID: Mapping[Role, str] = {
    "bind": "(made|viewed|kept|made under inference_mode|the memory is shared from) here",
    "save": "saved for backward here",
    "call": "called (from )?here",
    "write": ".*writes here",
    "read": ".*(read|used)( again)? here",
    "backward": "this backward (reads|goes through) it|the gradient is taken here",
}


def _check_story(diagnostics: Iterable[Diagnostic]) -> None:
    """Places have roles that fit what they say, and their turns are 1, 2, 3..."""
    for found in diagnostics:
        turns = {each.order: each for each in found.related}
        assert sorted([found.order, *turns]) == list(range(1, len(found.related) + 2))
        assert all(re.match(_SAID[each.role], each.message) for each in found.related)
        assert found.role is not None
        # What is saved is so before it is written, and read after that.
        written = max(each.order for each in (found, *found.related) if each.role in ("write", found.role))
        assert all(each.order < written for each in found.related if each.role == "save")
        assert all(each.order > found.order for each in found.related if each.role in ("read", "backward"))
        assert not any(found.role in ("read", "backward") and each.role == "write" for each in found.related)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_linter_agrees(file: Path) -> None:
    wanted = expected(file.read_text())
    found = reported(observed(file).diagnostics)
    _check_story(observed(file).diagnostics)
    # Advice that no comment asks for is beside the point of a case.
    assert {mark for mark in found if mark[1] != "info" or mark in wanted} == wanted
