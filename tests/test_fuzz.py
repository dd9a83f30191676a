"""The fuzzer makes the same inputs again, and notices what is wrong."""

from __future__ import annotations

import ast
import sys
from dataclasses import replace
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

import fuzz  # noqa: E402
import fuzz_inputs  # noqa: E402

from inplace_lint.findings.diagnostic import Edit, Fix, Span  # noqa: E402
from inplace_lint.source.place import Site  # noqa: E402

HAZARD = "import torch\ndef f(x):\n    return x * torch.sigmoid_(x)\n"
LIMITS = fuzz.Limits(60, 100_000)


@pytest.fixture(scope="module")
def files() -> fuzz_inputs.Corpus:
    own = sorted((BENCHMARKS.parent / "examples").glob("*.py"))
    return fuzz_inputs.Corpus([own], own)


@pytest.mark.parametrize("kind", ["mutated", "notebook", "suite", "programs"])
def test_inputs_are_made_of_seed_and_number(files: fuzz_inputs.Corpus, kind: str) -> None:
    made = [fuzz_inputs.make(kind, 3, number, files) for number in range(10)]
    assert made == [fuzz_inputs.make(kind, 3, number, files) for number in range(10)]
    assert len(set(made)) > 5
    assert kind == "suite" or made != [fuzz_inputs.make(kind, 4, number, files) for number in range(10)]


def test_most_mutated_files_are_python(files: fuzz_inputs.Corpus) -> None:
    made = [fuzz_inputs.make("mutated", 1, number, files) for number in range(40)]
    parsed = 0
    for text in made:
        try:
            ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        parsed += 1
    assert parsed > 20


def test_what_is_right_has_no_cause() -> None:
    told = fuzz.checked(HAZARD, "mutated", LIMITS)
    assert (told.cause, told.findings > 0, told.fixes, told.parses) == ("", True, 1, True)
    assert not fuzz.checked("x = (", "mutated", LIMITS).cause


SPAN = Span(3, 16, 3, 33)
WRONG = {
    "outside of the text": {"site": Site("program.py", Span(9, 1, 9, 2))},
    "no Python after the fix": {"fix": Fix("safe", "", (Edit(SPAN, "("),))},
    "crash": {"code": "IPL903"},
}


@pytest.mark.parametrize("cause", WRONG)
def test_what_is_wrong_is_noticed(monkeypatch: pytest.MonkeyPatch, cause: str) -> None:
    found, *_ = fuzz.lint_bytes(HAZARD.encode(), "program.py", fuzz.Config())
    monkeypatch.setattr(fuzz, "lint_bytes", lambda *_: [replace(found, **WRONG[cause])])
    assert fuzz.checked(HAZARD, "mutated", LIMITS).cause.startswith(cause)


def test_an_exception_and_slowness_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert fuzz.checked(HAZARD, "mutated", fuzz.Limits(0, 100_000)).cause == "slow"
    monkeypatch.setattr(fuzz, "lint_bytes", lambda *_: 1 // 0)
    assert fuzz.checked(HAZARD, "mutated", LIMITS).cause.startswith("escaped: ZeroDivisionError")


def test_a_worker_that_dies_is_told_and_replaced(files: fuzz_inputs.Corpus) -> None:
    worker = fuzz.Worker(LIMITS, files, 0)
    try:
        worker.ask("mutated", HAZARD)
        worker._process.kill()
        while (told := worker.answer()) is None:
            pass
        assert told.cause == "died"
        worker.ask("mutated", HAZARD)
        while (told := worker.answer()) is None:
            pass
        assert (told.cause, told.findings > 0) == ("", True)
    finally:
        worker.end()
