"""Real PyTorch judges findings: what it confirms is so, and nothing else is confirmed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import torch
from html_pages import Read
from torch import nn

from inplace_lint.cli import main
from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.pipeline.lint_paths import lint_paths
from inplace_lint.project.config import Config
from inplace_lint.runtime.confirm.experiment import plainly, traced
from inplace_lint.runtime.confirm.judge import Judged, judge
from inplace_lint.runtime.confirm.trace import Traced
from inplace_lint.runtime.errors import TargetError
from inplace_lint.runtime.inputs import read_inputs
from inplace_lint.runtime.target import load

EXAMPLES = Path(__file__).parent.parent / "examples"
CASES = Path(__file__).parent / "cases"

MODELS = """
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint


def leaf(x):
    w = torch.ones(3, requires_grad=True)
    w.mul_(2)
    return w * x


def two_errors(x):
    w = torch.ones(3, requires_grad=True)
    a, b = torch.sigmoid(w * x), torch.tanh(w * x)
    a += 1
    b.mul_(2)
    return a + b


def same_expression(x):
    return x * torch.sigmoid_(x)


def reused(x):
    y = F.relu(x, inplace=True)
    return y + x.abs()


def alias(x):
    identity = x
    x = F.relu_(x)
    return 10 * x + identity


def alias_of_statement(x):
    identity = x
    x.mul_(2)
    return x * 10 + identity


class Captured(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True), nn.Linear(3, 2))

    def forward(self, x):
        kept = []
        for layer in self.layers:
            x = layer(x)
            kept.append(x)
        return kept[0].sum() + x.sum()


class Hidden(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        h = self.linear(x)
        with torch.no_grad():
            h.clamp_(-0.1, 0.1)
        return h * 2


class Branch(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.linear = nn.Linear(size, 3)

    def forward(self, x):
        h = torch.sigmoid(self.linear(x))
        if x.sum() > 0:
            h += 1
        return h


def random(x):
    torch.seed()
    y = F.relu(x, inplace=True)
    return y + x.abs() + torch.rand(3)


def unseen_by_the_linter(x):
    w = torch.ones(3, requires_grad=True)
    h = torch.sigmoid(w * x)
    getattr(h, "_dda"[::-1])(1)
    return h


def checkpointed(x):
    w = torch.ones(3, requires_grad=True)
    y = checkpoint(torch.exp, w + x, use_reentrant=False)
    return y, x * torch.sigmoid_(x)


def right(x):
    w = torch.ones(3, requires_grad=True)
    h = w * x
    h += 1
    h[0] = 5
    h.mul_(3)
    return F.relu(h, inplace=True)
"""


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("confirm") / "models.py"
    file.write_text(MODELS, "utf-8")
    return file


def lint(paths: Sequence[str]) -> Sequence[Diagnostic]:
    return lint_paths(tuple(paths), Config(), 1).diagnostics


def judged(file: Path, name: str, x: str = "tensor([-1.0, 0.0, 2.0])", **init: Any) -> Judged:
    return judge(load(f"{file}:{name}", init, read_inputs([f"x={x}"])), lint)


_CAPTURING = "self.layers = nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True), nn.Linear(3, 2))"


def verdicts(outcome: Judged, text: str, name: str) -> list[tuple[str, str, str]]:
    """Code, source line and verdict of the findings in one function or class."""
    lines = text.splitlines()
    heads = [i for i, line in enumerate(lines, 1) if line.startswith(("def ", "class "))]
    first = next(i for i in heads if lines[i - 1].split("(")[0].split()[-1].rstrip(":") == name)
    last = next((i for i in heads if i > first), len(lines) + 1)
    found = [each for each in outcome.diagnostics if first <= each.site.span.row < last]
    return [(each.code, lines[each.site.span.row - 1].strip(), each.verdict or "") for each in found]


@pytest.mark.parametrize(
    ("name", "code", "line", "verdict"),
    [
        ("leaf", "IPL101", "w.mul_(2)", "confirmed: raises"),
        # x * sigmoid(x) is -0.269, 0, 1.762; with sigmoid_ it is 0.072, 0.25, 0.776
        ("same_expression", "IPL302", "return x * torch.sigmoid_(x)", "confirmed: values differ by up to 0.986"),
        ("reused", "IPL301", "y = F.relu(x, inplace=True)", "confirmed: values differ by up to 1"),
        ("alias", "IPL303", "x = F.relu_(x)", "confirmed: values differ by up to 1"),
        ("alias_of_statement", "IPL303", "x.mul_(2)", "confirmed: values differ by up to 2"),
        ("Captured", "IPL304", _CAPTURING, "confirmed: values differ by up to"),
        ("Hidden", "IPL401", "h.clamp_(-0.1, 0.1)", "confirmed: gradients differ by up to"),
    ],
)
def test_pytorch_confirms(models: Path, name: str, code: str, line: str, verdict: str) -> None:
    outcome = judged(models, name)
    found, *others = verdicts(outcome, MODELS, name)
    assert not others
    assert found[:2] == (code, line)
    assert found[2].startswith(verdict)
    assert outcome.confirmed
    assert outcome.graph is not None, outcome.reason


def test_each_error_is_confirmed_in_pytorchs_own_words(models: Path) -> None:
    outcome = judged(models, "two_errors")
    assert verdicts(outcome, MODELS, "two_errors") == [
        ("IPL202", "a += 1", "confirmed: raises"),
        ("IPL202", "b.mul_(2)", "confirmed: raises"),
    ]
    quotes = [each.message for found in outcome.diagnostics for each in found.related if each.role == "raise"]
    assert ["output 0 of Sigmoid" in quotes[0], "output 0 of Tanh" in quotes[1]] == [True, True]


def test_the_same_finding_is_refuted_where_the_inputs_make_no_difference(models: Path) -> None:
    outcome = judged(models, "reused", "tensor([1.0, 2.0, 3.0])")
    assert [found[2][:7] for found in verdicts(outcome, MODELS, "reused")] == ["refuted"]
    assert not outcome.confirmed
    assert {each.severity for each in outcome.diagnostics if each.verdict and "refuted" in each.verdict} == {"info"}


@pytest.mark.parametrize(("x", "verdict"), [("ones(3)", "confirmed: raises"), ("zeros(3)", "not reached")])
def test_what_is_not_run_is_not_judged(models: Path, x: str, verdict: str) -> None:
    outcome = judged(models, "Branch", x, size=3)
    assert verdicts(outcome, MODELS, "Branch") == [("IPL202", "h += 1", verdict)]


def test_an_unstable_program_is_not_compared(models: Path) -> None:
    outcome = judged(models, "random")
    assert [found[2] for found in verdicts(outcome, MODELS, "random")] == [
        "undecided: two runs with the same seed differ"
    ]
    assert outcome.notes
    assert not outcome.confirmed


@pytest.mark.parametrize("topic", ["aliases", "checkpointing", "custom_functions", "sequential"])
def test_the_findings_of_the_cases_are_confirmed_and_no_others(topic: str) -> None:
    file = CASES / f"{topic}.py"
    found = lint([str(file)])
    confirmed, undecided = set(), set()
    for name in re.findall(r"^def (case_\w+)\(\)", file.read_text("utf-8"), re.M):
        for each in judge(load(f"{file}:{name}"), lambda _: found).diagnostics:
            assert "seen by the run alone" not in each.message, (name, each)
            if (each.verdict or "").startswith("confirmed"):
                confirmed.add((each.code, each.site.span.row))
            elif (each.verdict or "").startswith("undecided"):
                undecided.add(each.site.span.row)
    undecided -= {row for _, row in confirmed}  # a cured twin may share the lines that the finding names
    assert confirmed == {(each.code, each.site.span.row) for each in found} - {("IPL305", row) for row in undecided}
    lines = file.read_text("utf-8").splitlines()
    assert all("array" in lines[row - 1] or "np." in lines[row - 1] for row in undecided)


SAVED_AFTER_THE_WRITE = """
import torch
from torch import nn


class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, i):
        result = i.mul_(torch.sigmoid(i))
        ctx.save_for_backward(i)
        return result

    @staticmethod
    def backward(ctx, grad):
        (i,) = ctx.saved_tensors
        gate = torch.sigmoid(i)
        return grad * (gate * (1 + i * (1 - gate)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        return Swish.apply(self.linear(x))
"""


def test_a_custom_function_that_saves_what_it_overwrote(tmp_path: Path) -> None:
    file = tmp_path / "swish.py"
    file.write_text(SAVED_AFTER_THE_WRITE)
    outcome = judge(load(f"{file}:Net", inputs=((torch.ones(2, 3),), {})), lint)
    verdicts = {each.code: each.verdict or "" for each in outcome.diagnostics}
    assert verdicts["IPL403"].startswith("confirmed: gradients differ")
    assert not any(verdict.startswith("refuted") for verdict in verdicts.values())


def test_what_only_the_run_saw_is_told(models: Path) -> None:
    outcome = judged(models, "unseen_by_the_linter")
    assert verdicts(outcome, MODELS, "unseen_by_the_linter") == [
        ("IPL202", 'getattr(h, "_dda"[::-1])(1)', "confirmed: raises")
    ]
    assert any("seen by the run alone" in each.message for each in outcome.diagnostics)


def test_what_cannot_be_traced_is_run_as_it_is(models: Path) -> None:
    outcome = judged(models, "checkpointed")
    assert outcome.graph is None
    assert "checkpointing" in outcome.reason
    (found,) = verdicts(outcome, MODELS, "checkpointed")
    assert found[2].startswith("confirmed: values differ by up to 0.986")


def test_right_code_has_no_findings(models: Path) -> None:
    outcome = judged(models, "right")
    assert verdicts(outcome, MODELS, "right") == []
    assert not outcome.confirmed


class Eventful(nn.Module):
    """What a plain symbolic trace loses or refuses."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.drop = nn.BatchNorm1d(4), nn.Dropout(0.5)
        self.scale = nn.Parameter(torch.rand(4))
        self.register_buffer("seen", torch.zeros(()))
        self.memory = torch.zeros(4)

    def forward(self, x: torch.Tensor, parts: dict[str, torch.Tensor]) -> dict[str, Any]:
        self.seen += 1
        self.memory.add_(1)
        h = self.drop(self.norm(x)) * self.scale + self.memory
        if h.sum() > 100 or isinstance(h, int):
            h = h * 0
        out = torch.zeros(len(h), *h.shape[1:])
        for i, row in enumerate(h):
            out[i] = row
        out[0] += parts["bias"]
        with torch.no_grad():
            low, high = out.min(), out.max(dim=1)
        with torch.autocast("cpu", torch.bfloat16):
            mixed = out @ out.T
        noise = torch.rand_like(out) if float(low) < 1e9 else None
        return {"out": out, "parts": (high.values, high[1]), "mixed": mixed, "noise": noise, "seen": self.seen}


def test_a_graph_does_what_the_program_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = load_model(Eventful(), torch.randn(3, 4), {"bias": torch.rand(4, requires_grad=True)})
    expected = plainly(target)
    graph = traced(target, {}, expected)  # which compares the two
    assert isinstance(graph, Traced), graph
    written = [node for node in graph.graph.nodes if node.op == "call_function" and node.target is torch.Tensor.add_]
    assert len(written) == 3
    assert {"input bias", "scale", "norm.weight"} & expected.gradients.keys()


def load_model(model: nn.Module, *args: Any) -> Any:
    import copy

    from inplace_lint.runtime.target import Call, Target

    def fresh() -> Call:
        again, given = copy.deepcopy((model, args))
        return Call(again, given, {}, again)

    return Target("model", fresh)


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["confirm", *args])
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


def test_json_has_the_verdict_and_the_status_tells(models: Path, capsys: pytest.CaptureFixture[str]) -> None:
    x = ("--input", "x=tensor([-1.0, 0.0, 2.0])", "--isolated", "--output-format", "json")
    status, out, err = run(capsys, f"{models}:alias", *x)
    told = {found["verdict"] for found in json.loads(out) if found["verdict"] != "not reached"}
    assert (status, told) == (1, {"confirmed: values differ by up to 1 (the result)"})
    assert "traced with torch.fx" in err
    assert run(capsys, f"{models}:right", *x)[0] == 0


def test_examples_are_judged(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES)
    for target, status in (("residual_block.py:Block", 1), ("residual_block.py:CuredBlock", 0), ("silu.py", 1)):
        inputs = () if target.endswith(".py") else ("--input", "randn(2, 3)")
        assert run(capsys, target, *inputs, "--isolated")[0] == status, target


def test_the_graph_is_drawn_with_the_hazard(models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "graph.svg"
    run(capsys, f"{models}:alias", "--input", "x=randn(3)", "--isolated", "--graph", str(file))
    drawn = ElementTree.parse(file)
    texts = list(drawn.iter("{http://www.w3.org/2000/svg}text"))
    colors = {text.text: text.get("fill") for text in texts}
    ends = [float(text.get("x", 0)) + 7.3 * len(text.text or "") for text in texts]
    assert max(ends) <= float(drawn.getroot().get("width", 0))
    assert [colors["relu_"], colors["add"], colors["mul"]] == ["#d62728", "#1f77b4", "#222"]


def test_the_page_has_the_verdict_as_evidence(models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "report.html"
    run(capsys, f"{models}:alias", "--input", "x=randn(3)", "--isolated", "--report", str(file))
    (badge,) = Read(file.read_text("utf-8")).of("confirmed")
    assert "".join(badge.text).startswith("confirmed: values differ")


def test_inputs_may_come_from_beside_the_target_or_from_a_script(
    models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    beside = tmp_path / "beside.py"
    beside.write_text(MODELS + "\ndef example_inputs():\n    return {'x': torch.tensor([-1.0, 0.0, 2.0])}\n", "utf-8")
    assert "values differ by up to 1 (the result)" in run(capsys, f"{beside}:reused", "--isolated")[1]
    script = tmp_path / "script.py"
    script.write_text(
        f"import sys\nsys.path.insert(0, {str(models.parent)!r})\n"
        "from models import *\nCaptured()(torch.randn(2, 3) * 1)\n"
    )
    assert "IPL304" in run(capsys, f"{models}:Captured", "--script", str(script), "--isolated")[1]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["nowhere.py:f"], "nowhere.py: no such file"),
        (["no_such_package:f"], "No module named 'no_such_package'"),
        (["{models}:nothing"], "has no `nothing`; it has leaf,"),
        (["{models}"], "{models}: a target is"),
        (["{models}:Branch"], '{models}:Branch: needs arguments: --init "size=..."'),
        (["{models}:Captured"], "missing 1 required positional argument: 'x'; give fitting inputs with --input"),
        (["{models}:Captured", "--input", "x=randn(7)"], "fails on these inputs: RuntimeError: mat1 and mat2"),
        (["{models}:Captured", "--init", "wide=True"], "unexpected keyword argument 'wide'"),
        (["{models}:reused", "--input", "x=__import__('os').getcwd()"], "cannot read `__import__('os').getcwd()`"),
        (["{models}:reused", "--input", "x=randn(2,"], "not a Python expression"),
        (["{models}:reused", "--input", "x=randn('a')"], "randn"),
    ],
)
def test_mistakes_end_in_one_line(
    models: Path, args: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    stem = str(models).removesuffix(".py") if args == ["{models}"] else str(models)
    status, out, err = run(capsys, *(arg.replace("{models}", stem) for arg in args))
    assert (status, out) == (2, "")
    assert message.replace("{models}", stem) in err
    assert len(err.strip().splitlines()) == 1


def test_without_pytorch_it_says_what_to_install() -> None:
    program = "import sys; sys.modules['torch'] = None\nfrom inplace_lint.cli import main\nmain(['confirm', 'x.py:f'])"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "pip install 'inplace-lint[runtime]'" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_only_confirm_executes_the_users_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, marker = tmp_path / "marks.py", tmp_path / "marker"
    file.write_text(f"import torch\nopen({str(marker)!r}, 'w').close()\ndef f(x):\n    return x * torch.sigmoid_(x)\n")
    assert lint([str(file)])
    assert not marker.exists()
    run(capsys, f"{file}:f", "--input", "x=randn(3)", "--isolated")
    assert marker.exists()


def test_an_error_of_the_users_is_not_ours(tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_text("raise ValueError('my own')\n")
    with pytest.raises(TargetError, match="cannot be loaded: ValueError: my own"):
        load(f"{file}:f")


def test_findings_that_are_not_reached_are_counted(models: Path, capsys: pytest.CaptureFixture[str]) -> None:
    args = (f"{models}:Branch", "--init", "size=3", "--input", "zeros(3)", str(models), "--isolated")
    _, out, err = run(capsys, *args)
    assert "[not reached]" not in out
    (count,) = re.findall(r"note: (\d+) findings? in lines that these inputs do not reach", err)
    _, out, err = run(capsys, *args, "--not-reached")
    assert out.count("[not reached]") == int(count) > 0
    assert "do not reach" not in err
    _, out, _ = run(capsys, *args, "--output-format", "json")
    assert [each["verdict"] for each in json.loads(out)].count("not reached") == int(count)
