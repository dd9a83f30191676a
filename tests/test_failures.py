"""What fails costs its own findings and no others: one entry point, one rule on one of them, or the fixes."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from inplace_lint import Diagnostic, lint_paths, lint_source, rule
from inplace_lint.findings.finding import Finding
from inplace_lint.findings.rule import RegisteredRule, Rule
from inplace_lint.fixes import offer
from inplace_lint.interpret.analysis import following
from inplace_lint.interpret.analysis.entries import Entry
from inplace_lint.interpret.state.run import Run
from inplace_lint.pipeline import lint_file as pipeline
from inplace_lint.pipeline import offers, pool
from inplace_lint.pipeline.lint_file import lint_bytes
from inplace_lint.torch_model.events import Trace, Write

PROGRAM = """
import torch

def first(x):
    return x * torch.sigmoid_(x)

def second(x):
    if x.sum() > 0:
        y = torch.sigmoid(x)
        y.mul_(2)
        return y
    return x * torch.tanh_(x)

class Net(torch.nn.Module):
    def forward(self, x):
        return x * torch.relu_(x)
"""
FOUND = [("IPL302", 5), ("IPL202", 10), ("IPL302", 12), ("IPL302", 16)]


def brief(found: Iterable[Diagnostic]) -> list[tuple[str, int]]:
    return [(each.code, each.site.span.row) for each in found]


@pytest.fixture
def crashing(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Makes the interpreter fail at entry points, from some run of each on."""

    def crash(*names: str, after: int = 0, error: type[Exception] = ZeroDivisionError) -> None:
        begun: dict[str, int] = {}
        start = following.start

        def fail(run: Run, entry: Entry) -> None:
            begun[entry.name] = begun.get(entry.name, 0) + 1
            start(run, entry)
            if entry.name in names and begun[entry.name] > after:
                raise error("a bug")

        monkeypatch.setattr(following, "start", fail)

    return crash


def test_all_is_found_without_failures() -> None:
    assert brief(lint_source(PROGRAM)) == FOUND


@pytest.mark.parametrize("error", [ZeroDivisionError, RecursionError, MemoryError, AttributeError])
def test_an_entry_point_that_fails(crashing: Callable[..., None], error: type[Exception]) -> None:
    crashing("second", error=error)
    found = lint_source(PROGRAM)
    assert brief(found) == [("IPL302", 5), ("IPL903", 7), ("IPL302", 16)]
    reason = "not enough memory" if error is MemoryError else f"{error.__name__}: a bug"
    assert found[1].message == f"inplace-lint failed on `second` and does not know all about it: {reason}"
    assert ("leave the file out" if error is MemoryError else "in fail") in (found[1].help or "")
    assert found[0].fix is not None


def test_a_path_that_fails(crashing: Callable[..., None]) -> None:
    crashing("second", after=1)
    codes = [code for code, _ in brief(lint_source(PROGRAM))]
    assert "IPL903" in codes
    assert len(codes) >= 4


def test_several_failures_are_told_in_order(crashing: Callable[..., None]) -> None:
    crashing("first", "second", "Net.forward")
    found = lint_source(PROGRAM)
    assert brief(found) == [("IPL903", 4), ("IPL903", 7), ("IPL903", 15)]
    assert "`Net.forward`" in found[2].message
    assert lint_source(PROGRAM) == found


def spoil(monkeypatch: pytest.MonkeyPatch, code: str, check: Callable[[Trace], Iterable[Finding]]) -> None:
    rules = dict(rule.registry())
    rules[code] = RegisteredRule(replace(rules[code].rule, check=check), "")
    monkeypatch.setattr(pipeline, "registry", lambda: rules)


def raising(trace: Trace) -> Iterator[Finding]:
    if trace.entry == "first":
        raise ZeroDivisionError("a bug")
    yield from rule.registry()["IPL302"].rule.check(trace)


def half_way(trace: Trace) -> Iterator[Finding]:
    yield from rule.registry()["IPL302"].rule.check(trace)
    if trace.entry == "first":
        raise ZeroDivisionError("a bug")


def of_another_kind(trace: Trace) -> Iterable[Finding]:
    return ["no finding"] if trace.entry == "first" else rule.registry()["IPL302"].rule.check(trace)  # type: ignore


def no_list(trace: Trace) -> Iterable[Finding]:
    return 5 if trace.entry == "first" else rule.registry()["IPL302"].rule.check(trace)  # type: ignore


@pytest.mark.parametrize("check", [raising, half_way, of_another_kind, no_list])
def test_a_rule_that_fails(monkeypatch: pytest.MonkeyPatch, check: Callable[[Trace], Iterable[Finding]]) -> None:
    spoil(monkeypatch, "IPL302", check)
    found = lint_source(PROGRAM)
    assert sorted(brief(found)) == sorted([("IPL903", 4), *FOUND[1:]])
    assert found[0].message.startswith("inplace-lint failed to judge `first` by rule IPL302: ")


def test_two_rules_that_fail_at_one_place(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Trace) -> Iterable[Finding]:
        raise ValueError("a bug")

    rules = {
        code: RegisteredRule(replace(entry.rule, check=fail), "") if code in ("IPL302", "IPL202") else entry
        for code, entry in rule.registry().items()
    }
    monkeypatch.setattr(pipeline, "registry", lambda: rules)
    found = lint_source("import torch\n\ndef first(x):\n    return x * torch.sigmoid_(x)\n")
    assert [each.message.split()[7].rstrip(":") for each in found] == ["IPL202", "IPL302"]


def test_fixes_that_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise SyntaxError("a bug")

    monkeypatch.setattr(offer, "offer", fail)
    found = lint_source(PROGRAM)
    assert brief(found) == FOUND
    assert not any(each.fix for each in found)


def test_other_functions_of_the_file_can_be_fixed(tmp_path: Path, crashing: Callable[..., None]) -> None:
    from inplace_lint.pipeline.apply_fixes import fixed

    crashing("second")

    def found(data: bytes) -> list[Diagnostic]:
        return lint_bytes(data, "a.py", pipeline.Config())

    data = fixed(PROGRAM.encode(), "a.py", found(PROGRAM.encode()), found, unsafe=True).data.decode()
    assert "return x * torch.sigmoid(x)" in data
    assert "torch.tanh_" in data


def test_no_fix_is_offered_that_only_makes_a_rule_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    own = rule.registry()["IPL302"].rule.check

    def fail(trace: Trace) -> Iterable[Finding]:
        if not any(isinstance(event, Write) for event in trace.events):
            raise ZeroDivisionError("a bug")
        return own(trace)

    rules = dict(rule.registry())
    changed: Rule = replace(rules["IPL302"].rule, check=fail, about_writes=False)
    rules["IPL302"] = RegisteredRule(changed, "")
    monkeypatch.setattr(pipeline, "registry", lambda: rules)
    monkeypatch.setattr(offers, "registry", lambda: rules)
    found = lint_source("import torch\n\ndef first(x):\n    return x * torch.sigmoid_(x)\n")
    assert [(each.code, each.fix) for each in found if each.code == "IPL302"] == [("IPL302", None)]


def test_the_same_with_several_processes_and_a_cache(
    tmp_path: Path, crashing: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    crashing("second")
    # What is patched here is not so in processes that begin anew, as they do where other threads run.
    monkeypatch.setattr(pool, "_context", lambda: multiprocessing.get_context("fork"))
    for number in range(9):
        (tmp_path / f"file{number}.py").write_text(PROGRAM)
    alone = lint_paths([str(tmp_path)], jobs=1)
    assert len([each for each in alone.diagnostics if each.code == "IPL903"]) == 9
    assert lint_paths([str(tmp_path)], jobs=2) == alone
    for _ in range(2):
        assert lint_paths([str(tmp_path)], jobs=1, cache=str(tmp_path / "cache")) == alone
