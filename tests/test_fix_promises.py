"""What a fix promises: alone and with others it takes its finding away, brings none, and lets run what ran."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from fix_oracle import Report, judge_fixes
from fixable_programs import fixable_notebook, fixable_program
from structured_programs import structured_program

from inplace_lint.findings.diagnostic import Diagnostic, Edit, Fix
from inplace_lint.fixes import offer
from inplace_lint.fixes.edit import Moved, edited
from inplace_lint.pipeline.apply_fixes import MOST_LOOKS, fixed
from inplace_lint.pipeline.drafts import Draft
from inplace_lint.pipeline.lint_file import lint_source
from inplace_lint.project.config import Config
from inplace_lint.source.place import Site, Span

PATH = "program.py"

TWO_WRITES = """import torch
def f(w):
    a = w.tanh_() + w
    b = torch.relu_(w)
    return a.sum() + b.sum()
f(torch.rand(4, requires_grad=True) + 0).backward()
"""

KEPT_BY_THE_NEXT = """import torch
import torch.nn.functional as F
def f(w):
    t0 = F.hardtanh(w, inplace=True)
    for _ in range(2):
        w.clamp_(0, 1)
    return w.sum() + t0.sum()
f(torch.rand(4, requires_grad=True) + 0).backward()
"""

# In each, only what the fix takes out of the data carries a history.
CUT = [
    "a = torch.ones(4)\nb = a\na -= x\nb.sum().backward()",
    "a = torch.ones(4)\nb = [a]\na.add_(x)\nb[0].sum().backward()",
    "def f():\n    a = torch.ones(4)\n    b = a\n    a -= x\n    b.sum().backward()\nf()",
    "def f():\n    a = torch.ones(4)\n    b = a\n    a -= x\n    return b.sum()\nf().backward()",
    "class A:\n    def f(self, a):\n        b = a\n        a = a.sub_(x)\n        b.sum().backward()\n"
    "A().f(torch.ones(4))",
    "h = x * 2\nk = h\nh.mul_(3)\nloss = h.sum()\ntorch.autograd.grad(loss, k)",
]


def with_fix(text: str, fix: Fix) -> str:
    return edited(text, fix.edits)


def all_fixed(text: str, unsafe: bool, config: Config | None = None) -> str:
    def found(data: bytes) -> list[Diagnostic]:
        return lint_source(data.decode(), PATH, config)

    return fixed(text.encode(), PATH, found(text.encode()), found, unsafe).data.decode()


def judged(text: str, path: str = PATH) -> Report:
    report = Report()
    judge_fixes(text, path, report)
    return report


@pytest.mark.parametrize("text", [TWO_WRITES, KEPT_BY_THE_NEXT])
def test_every_fix_works_alone_and_with_the_others(text: str) -> None:
    report = judged(text)
    assert report.groups["all"]
    assert not report.failures
    for unsafe in (False, True):
        once = all_fixed(text, unsafe)
        assert once.count(".clone()") <= 2
        assert all_fixed(once, unsafe) == once
    assert not lint_source(all_fixed(text, unsafe=True), PATH)


@pytest.mark.parametrize("body", CUT)
def test_no_fix_cuts_the_graph_of_a_backward_pass(body: str) -> None:
    text = f"import torch\nx = torch.ones(4, requires_grad=True)\n{body}\n"
    assert not judged(text).failures


@pytest.mark.parametrize("config", [Config(ignore=("IPL2",)), Config(select=("IPL301", "IPL302"))])
def test_a_rule_that_is_switched_off_still_counts(config: Config) -> None:
    for each in lint_source(KEPT_BY_THE_NEXT, PATH, config):
        if each.fix is not None:
            left = lint_source(with_fix(KEPT_BY_THE_NEXT, each.fix), PATH)
            assert "IPL201" not in {other.code for other in left}


# Applying: pass by pass, each with fewer findings.

LETTERS = "abcd"


def letter(code: str, place: int, content: str) -> Diagnostic:
    span = Span(1, place, 1, place + 1)
    return Diagnostic(code, code, "error", "", Site(PATH, span), fix=Fix("safe", "", (Edit(span, content),)))


def capitals(text: str) -> list[Diagnostic]:
    """Every small letter is a finding; its fix makes it a capital."""
    return [letter("IPL201", i, each.upper()) for i, each in enumerate(text, 1) if each.islower()]


def applied(text: str, found: Callable[[str], list[Diagnostic]]) -> str:
    return fixed(text.encode(), PATH, found(text), lambda data: found(data.decode())).data.decode()


def test_fixes_that_do_not_go_together_are_applied_in_parts() -> None:
    def found(text: str) -> list[Diagnostic]:
        both = [letter("IPL202", 1, "A")] if "A" in text and "D" in text else []
        return [*capitals(text), *both]

    assert applied("abcd", capitals) == "ABCD"
    assert applied("abcd", found) == "ABCd"


def test_a_pass_that_fixes_nothing_is_not_written() -> None:
    def piling(text: str) -> list[Diagnostic]:
        return [letter("IPL202", 1, text[0] + ".clone()")]

    def moving(text: str) -> list[Diagnostic]:
        at = text.index("x") + 1
        return [Diagnostic("IPL202", "", "error", "", Site(PATH, Span(1, at, 1, at + 1)), fix=letter("", 1, "--").fix)]

    def failing(text: str) -> list[Diagnostic]:
        return capitals(text) if text == "ab" else [letter("IPL903", 1, "")]

    assert applied("ab", piling) == "ab"
    assert applied("abx", moving) == "abx"
    assert applied("ab", failing) == "ab"


def test_what_one_run_leaves_is_told() -> None:
    def one_by_one(text: str) -> list[Diagnostic]:
        return capitals(text)[:1] + [replace(each, fix=None) for each in capitals(text)[1:]]

    some, many = LETTERS * (MOST_LOOKS // 4), LETTERS * MOST_LOOKS
    done, begun = (
        fixed(text.encode(), PATH, one_by_one(text), lambda data: one_by_one(data.decode())) for text in (some, many)
    )
    assert (done.data, done.unfinished) == (some.upper().encode(), False)
    assert (begun.codes.total(), begun.unfinished) == (MOST_LOOKS, True)


def test_what_only_a_look_at_one_file_finds_is_not_fixed() -> None:
    found = capitals("ab")[:1]
    assert fixed(b"ab", PATH, found, lambda data: capitals(data.decode())).data == b"Ab"


def test_places_move_with_edits() -> None:
    edits = [Edit(Span(1, 3, 1, 3), "XY\nZ"), Edit(Span(1, 5, 2, 2), ""), Edit(Span(2, 4, 2, 5), "long")]
    old = "abcdef\nghijk\nlm"
    new = edited(old, edits)
    assert new == "abXY\nZcdhilongk\nlm"
    moved = Moved(edits)
    for sought in ("a", "b", "c", "h", "k", "l\n", "m"):
        sought = sought[0] if sought != "l\n" else "lm"
        places = [span_of(text, sought) for text in (new, old)]
        assert moved.back(places[0]) == moved.settled(places[1])
    assert moved.back(Span(2, 6, 2, 10)) == moved.settled(Span(2, 4, 2, 5))


def span_of(text: str, sought: str) -> Span:
    at = text.rindex(sought)
    row, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    return Span(row, column, row, column + len(sought))


# A fix that cannot be made costs no finding.

HAZARD = "import torch\ndef f(x):\n    y = torch.sigmoid(x)\n    y.mul_(2)\n    y.sum().backward()\n"
HAZARD += "f(torch.randn(3, requires_grad=True))\n"


@pytest.mark.parametrize(
    "refused",
    [
        "def g(a, a): pass",
        "def g():\n    from os import *",
        "def g(a):\n    global a",
        "def g():\n    print(a)\n    global a",
        "nonlocal q",
        "lambda a, a: 1",
        "def g():\n    def h():\n        nonlocal q",
        "class A:\n    return 1",
        "x: int = (yield)",
        "break",
    ],
)
def test_what_python_parses_and_does_not_compile(refused: str) -> None:
    assert {each.code for each in lint_source(f"{HAZARD}{refused}\n", PATH)} == {"IPL202"}


@pytest.mark.parametrize("error", [RuntimeError, RecursionError, MemoryError, KeyError, AssertionError, SyntaxError])
@pytest.mark.parametrize("place", ["change", "tree", "choose", "draft", "reach"])
def test_a_mistake_in_fixing_costs_the_fix_only(
    error: type[Exception], place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise error

    wanted = [(each.code, each.site) for each in lint_source(HAZARD, PATH)]
    target: tuple[object, str] = {
        "tree": (offer, "Tree"),
        "choose": (offer, "choose"),
        "draft": (Draft, "found_with"),
        "reach": (Draft, "reach"),
    }.get(place, (offer, "_candidates"))
    monkeypatch.setattr(*target, fail)
    found = lint_source(HAZARD, PATH)
    assert [(each.code, each.site) for each in found] == wanted
    assert not any(each.fix for each in found)


def test_a_mistake_in_one_fix_costs_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    silent = "def g(w):\n    return w.tanh_() + w\ng(torch.ones(2))\n"
    changes = dict(offer._CHANGES)
    _, message = changes["clone"]
    monkeypatch.setattr(offer, "_CHANGES", {**changes, "clone": (lambda *_: 1 / 0, message)})
    offered = {each.code: each.fix is not None for each in lint_source(HAZARD + silent, PATH)}
    assert offered["IPL302"]


@pytest.mark.parametrize(
    ("make", "path", "count"),
    [(fixable_program, PATH, 40), (structured_program, PATH, 20), (fixable_notebook, "notebook.ipynb", 6)],
)
@pytest.mark.filterwarnings("ignore")
def test_random_programs(make: Callable[[Random], str], path: str, count: int) -> None:
    report = Report()
    for seed in range(count):
        judge_fixes(make(Random(seed)), path, report)
    assert report.single.total() > count // 3
    assert not report.failures, report.failures[0]
