"""Programs that are written to take long: the answer comes all the same, and what was left out is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from inplace_lint import lint_source
from inplace_lint.effort import Effort, OutOfEffort, allowance
from inplace_lint.findings.analysis import Analysis
from inplace_lint.findings.diagnostic import Reason
from inplace_lint.findings.registry import registry
from inplace_lint.interpret.analysis.analyze import analyze
from inplace_lint.pipeline.lint_file import lint_file
from inplace_lint.project.config import Config
from inplace_lint.source.parsing import MOST_TOKENS

HEAD = "import torch\n"


def function(*lines: str) -> str:
    return f"{HEAD}def f(x):\n" + "".join(f"    {line}\n" for line in lines)


def analyzed(text: str, effort: Effort | None = None) -> Analysis:
    return analyze(text, "a.py", [entry.rule for entry in registry().values()], lambda _: None, effort=effort)


def reasons(analysis: Analysis) -> set[Reason]:
    return {each.reason for each in analysis.given_up}


def used(text: str, allowed: int = 1_000_000) -> int:
    effort = Effort(allowed)
    analyzed(text, effort)
    return allowed - effort.left


def test_effort_ends() -> None:
    effort = Effort(10, kept_back=5)
    effort.spend(10)
    with pytest.raises(OutOfEffort):
        effort.spend(1)
    assert effort.exhausted
    effort.open_reserve()
    effort.spend(5)
    with pytest.raises(OutOfEffort):
        effort.spend(1)
    effort.open_reserve()  # there is one only
    with pytest.raises(OutOfEffort):
        effort.spend(1)


def test_longer_files_may_cost_more() -> None:
    short, long = allowance("x\n" * 1_000), allowance("x\n" * 4_000)
    assert short.left == allowance("").left
    assert long.left > short.left


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("l = [x]", "l = l + l"),
        ("l = [x]", "l += l"),
        ("l = [x]", "l.extend(l)"),
        ("l = [x]", "l = [*l, *l]"),
        ("l = [x]", "l = l * 8"),
        ("l = (x,)", "l = l + l"),
        ("l = (x, x)", "l = (l, l); y = l == x"),
        ("l = [x, x]", "l = l + l; y = torch.cat(l)"),
        ("l = [x, x]", "l = list(itertools.chain(l, l))"),
        ("l = 'a'", "l = l + l"),
        ("l = 'a'", "l = l.replace('a', 'aaaaaaaa')"),
        ("l = 1", "l = l * l + 7"),
    ],
)
def test_what_doubles_stays_small(first: str, again: str) -> None:
    text = "import itertools\n" + function(first, *[again] * 60, "y = x * torch.sigmoid_(x)", "return y, l")
    assert [found.code for found in lint_source(text)] == ["IPL302"]


@pytest.mark.parametrize(
    "value", ["'a' * 2000000000", "2000000000 * 'a'", "'%2000000000d' % 1", "'%*d' % (2000000000, 1)", "[x] * 10**9"]
)
def test_what_says_its_own_length_is_not_made(value: str) -> None:
    text = function(f"s = {value}", "y = x * torch.sigmoid_(x)", "return y, s")
    assert [found.code for found in lint_source(text)] == ["IPL302"]


@pytest.mark.parametrize("again", ['f"{s}{s}"', "s + s", "(s, s)"])
def test_keys_that_double_are_looked_up(again: str) -> None:
    doubled = "".join(f"    s = {again}\n" for _ in range(60))
    text = (
        f"{HEAD}_TABLE = {{}}\n\ndef f(x, d):\n    s = str(d)\n{doubled}"
        "    m = _TABLE.get(s)\n    if m is None:\n        m = _TABLE[s] = torch.empty(3)\n"
        "    m.copy_(x)\n    o = _TABLE.get((s, 1))\n    o.mul_(2)\n    return m, o\n"
    )
    assert used(text) < 100_000


def test_arguments_do_not_double() -> None:
    text = f"{HEAD}def f(*a):\n    return f(*a, *a)\ndef g(x):\n    y = x * torch.sigmoid_(x)\n    f(x)\n    return y\n"
    assert [found.code for found in lint_source(text)] == ["IPL302"]


FAMILIES: dict[str, Callable[[int], str]] = {
    "writes": lambda n: function("y = torch.sigmoid(x)", *["y.mul_(2)"] * n, "return y"),
    "alias": lambda n: function("y = x * 2", "z = y", *["y.mul_(2)", "w = z + 1"] * n, "return w"),
    "passes": lambda n: function("y = x * 2", *["y = y.sigmoid().mul_(2)", "y.sum().backward(retain_graph=True)"] * n),
    "elements": lambda n: function("l = []", *["l.append(x.relu_())"] * n, "return l"),
    "calls": lambda n: HEAD + "".join(f"def f{i}(x):\n    f{i + 1}(x)\n    f{i + 1}(x.add_(1))\n" for i in range(n)),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_cost_is_counted_and_bounded(family: str) -> None:
    few, many = used(FAMILIES[family](4)), used(FAMILIES[family](8))
    assert 0 < few < many
    text = FAMILIES[family](400)
    assert used(text, 100_000) < 200_000
    assert used(text, 100_000) == used(text, 100_000)  # and not timed


def test_findings_so_far_are_kept() -> None:
    early = f"{HEAD}def early(x):\n    return x * torch.sigmoid_(x)\n"
    endless = FAMILIES["passes"](100)
    late = "def late(x):\n    return x * torch.sigmoid_(x)\n"
    analysis = analyzed(early + endless.removeprefix(HEAD) + late, Effort(100_000, 10_000))
    assert analysis.findings[0][1].site.span.row == 3
    assert {each.name: each.reason for each in analysis.given_up} == {"f": "effort", "late": "effort"}


def test_what_is_judged_when_all_is_spent() -> None:
    text = function("y = x * torch.sigmoid_(x)", *["y = y + 1"] * 100, "return y")
    half = Effort(used(text) // 2, kept_back=1_000_000)
    analysis = analyzed(text, half)
    assert half.exhausted
    assert {finding.site.span.row for _, finding in analysis.findings} == {3}
    assert reasons(analysis) == {"effort"}


def test_no_fix_is_tried_when_all_is_spent(monkeypatch: pytest.MonkeyPatch) -> None:
    text = function("y = x * torch.sigmoid_(x)", "return y")
    assert lint_source(text)[0].fix is not None
    monkeypatch.setattr("inplace_lint.pipeline.lint_file.allowance", lambda text: Effort(used(text) + 1))
    (found,) = lint_source(text)
    assert found.fix is None


def test_a_file_that_is_too_large_is_told(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    table = "x = [" + "1," * (MOST_TOKENS // 2 + 10) + "]\n"
    file.write_text(table)
    assert lint_file(str(file), Config()).diagnostics == []
    file.write_text("import torch\n" + table)
    result = lint_file(str(file), Config())
    assert [(each.name, each.reason) for each in result.given_up] == [("<file>", "size")]
    assert [found.code for found in result.diagnostics] == ["IPL902"]
    assert "is too large" in result.diagnostics[0].message


def files(tmp_path: Path, texts: dict[str, str]) -> dict[str, list[str]]:
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return {name: [each.code for each in lint_file(str(tmp_path / name), Config()).diagnostics] for name in texts}


def test_files_that_import_all_of_one_another(tmp_path: Path) -> None:
    count = 6
    texts = {
        f"m{i}.py": HEAD
        + "".join(f"from m{j} import *\n" for j in range(count) if j != i)
        + f"def g{i}(x):\n    y = x * torch.sigmoid_(x)\n    return g{(i + 1) % count}(y) + missing\n"
        for i in range(count)
    }
    assert all("IPL302" in codes for codes in files(tmp_path, texts).values())


def test_diamonds_of_classes() -> None:
    pairs = "".join(
        f"class A{i}(A{i - 1}, B{i - 1}): pass\nclass B{i}(A{i - 1}, B{i - 1}): pass\n" for i in range(1, 60)
    )
    first = "class A0:\n    def m(self, x):\n        return x * torch.sigmoid_(x)\nclass B0(A0): pass\n"
    text = f"{HEAD}{first}{pairs}def f(x):\n    return A59().m(x)\n"
    assert "IPL302" in [found.code for found in lint_source(text)]


def test_other_kinds_of_an_instance() -> None:
    text = (
        f"{HEAD}def f(x, w: torch.Tensor):\n    if isinstance(x, dict):\n        if isinstance(x, list):\n"
        "            return w * torch.sigmoid_(w)\n    return w\n"
    )
    assert lint_source(text) == []


def test_names_of_what_nobody_knows_are_not_spelled_out() -> None:
    """A key that has the same part many times would be endless as a text."""
    deep = "    made = made.one + made.one\n" * 60
    text = f"from torch import nn\n\ndef named(made, x):\n{deep}    net = nn.ModuleDict()\n    net[made] = nn.ReLU()\n"
    text += "    net[made.__class__.__name__] = nn.ReLU()\n    return dict(net.named_children())\n"
    assert lint_source(text) == []


SAMPLER = """
import torch


class Target:
    def __init__(self, x):
        self.x = x

    def potential(self, q):
        return (self.x @ q).logsumexp(0) + (q ** 2).sum()

    def slope(self, q):
        leaf = q.detach().clone().requires_grad_(True)
        (slope,) = torch.autograd.grad(self.potential(leaf), leaf)
        return slope


class Sampler:
    def __init__(self, target: Target, steps=12):
        self.target, self.steps, self.accepted = target, steps, 0

    def moved(self, q, p):
        p.sub_(self.target.slope(q), alpha=0.5)
        for i in range(self.steps):
            q.add_(p, alpha=0.1)
            if i != self.steps - 1:
                p.sub_(self.target.slope(q))
        return q, -p

    def next(self, current):
        q = current
        p = torch.randn(q.shape)
        before = self.target.potential(q)
        q, p = self.moved(q, p)
        if torch.rand(()) < before - self.target.potential(q):
            self.accepted += 1
            return q
        return current

    def run(self, q, count=150):
        samples = torch.empty(count, q.numel())
        for i in range(count):
            q = self.next(q)
            samples[i].copy_(q)
        return samples
"""


def test_a_program_takes_no_paths_from_functions() -> None:
    program = """

def main():
    names = []
    for i in range(60):
        for j in range(40):
            names.append(f"{i} of {j}")
    sampler = Sampler(Target(torch.rand(80, 4)))
    samples = sampler.run(torch.zeros(4))
    print(sampler.accepted / 150, samples[20:].mean(0), samples[20:].std(0))
    return samples


if __name__ == "__main__":
    main()
"""
    for text in (SAMPLER, SAMPLER + program):
        assert [each.code for each in lint_source(text)] == ["IPL305"]
