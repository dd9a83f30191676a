"""`inplace-lint explain` finds the line behind an error that real PyTorch printed."""

from __future__ import annotations

import io
import json
import sys
import warnings
from functools import cache
from pathlib import Path

import pytest
import torch
from launched import WITH_TORCH, launched
from linted import linted
from test_cases import CASES, Case

from inplace_lint import Config, cli, lint_source
from inplace_lint.postmortem.error_report import read_report
from inplace_lint.postmortem.explain import Explanation, explain

# Hazards, of which the argument chooses the one that PyTorch meets.
PROGRAM = """\
import sys
import torch
from torch import nn

x = torch.ones(3, requires_grad=True)


def overwrite_sigmoid():
    y = torch.sigmoid(x)
    y *= 2  # sigmoid
    y.sum().backward()


def overwrite_sigmoid_():
    y = x * 1
    y.sigmoid_()
    y *= 2  # sigmoid_
    y.sum().backward()


def overwrite_exp():
    y = torch.exp(x)
    y *= 2  # exp
    y.sum().backward()


def step_first():
    model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
    optimizer = torch.optim.SGD(model.parameters())
    first, second = model(x).sum(), model(-x).sum()
    first.backward()
    optimizer.step()  # step
    second.backward()


def write_leaf():
    x[0] = 1  # leaf


hazards = {"sigmoid": overwrite_sigmoid, "sigmoid_": overwrite_sigmoid_, "exp": overwrite_exp}
{**hazards, "step": step_first, "leaf": write_leaf}[sys.argv[1]]()
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("explain") / "program.py"
    path.write_text(PROGRAM)
    return path


def row(hazard: str) -> int:
    return next(number for number, line in enumerate(PROGRAM.split("\n"), 1) if line.endswith(f"# {hazard}"))


@cache
def error_of(path: Path, hazard: str, anomaly: bool = False) -> str:
    """What Python prints when the program meets a hazard."""
    start = "import runpy, sys, torch; torch.autograd.set_detect_anomaly(sys.argv.pop(1) == 'True'); "
    run = f"sys.argv[:] = [{str(path)!r}, sys.argv[1]]; runpy.run_path(sys.argv[0], run_name='__main__')"
    (path.parent / "started.py").write_text(start + run)
    done = launched("started", str(anomaly), hazard, folder=path.parent, imported=WITH_TORCH)
    assert done.returncode == 1
    return done.stderr


def explained(text: str, path: Path) -> Explanation:
    report = read_report(text)
    assert report is not None
    return explain(report, linted(path.read_bytes(), str(path), Config(select=("IPL1", "IPL2"), unfixable=("ALL",))))


@pytest.mark.parametrize("anomaly", [False, True])
@pytest.mark.parametrize("hazard", ["sigmoid", "exp", "step"])
def test_picks_the_one_that_happened(program: Path, hazard: str, anomaly: bool) -> None:
    text = error_of(program, hazard, anomaly)
    log = f"step 1 loss 0.3\n[rank0]: {text}\nW0101 shutting down"
    for variant in (text, log, text.replace(str(program.parent), "/elsewhere")):
        found = explained(variant, program)
        assert [each.site.span.row for each in found.fitting] == [row(hazard)]
        assert ("anomaly mode" in str(found.fitting[0].verdict)) == anomaly


def test_reads_messages_with_and_without_the_suffix(program: Path) -> None:
    """Versions of PyTorch differ in whether they say `SigmoidBackward0` or `Sigmoid`."""
    message = error_of(program, "sigmoid").strip().split("\n")[-1]
    other = "of Sigmoid," if "SigmoidBackward0" in message else "of SigmoidBackward0,"
    for text in (message, message.replace("of SigmoidBackward0,", other).replace("of Sigmoid,", other)):
        assert [each.site.span.row for each in explained(text, program).fitting] == [row("sigmoid")]


def test_counts_versions(program: Path) -> None:
    """The message alone tells the result of an in-place op from a new one."""
    for hazard in ("sigmoid", "sigmoid_"):
        message = error_of(program, hazard).strip().split("\n")[-1]
        assert [each.site.span.row for each in explained(message, program).fitting] == [row(hazard)]


TWO_SIGMOIDS = """\
import torch

def first(x):
    y = torch.sigmoid(x)
    y *= 2
    y.sum().backward()

def second(x):
    y = torch.sigmoid(x)
    y += 1
    y.sum().backward()
"""


def test_several_of_the_same_kind_are_possible_without_a_place(tmp_path: Path) -> None:
    (tmp_path / "two.py").write_text(TWO_SIGMOIDS)
    message = (
        "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation:"
        " [torch.FloatTensor [3]], which is output 0 of Sigmoid, is at version 1; expected version 0 instead."
    )
    found = explained(message, tmp_path / "two.py")
    assert (len(found.fitting), [each.site.span.row for each in found.possible]) == (0, [5, 10])
    traceback = f'Traceback (most recent call last):\n  File "two.py", line 11, in second\n{message}'
    assert [each.site.span.row for each in explained(traceback, tmp_path / "two.py").fitting] == [10]


def test_reads_the_message_of_a_selective_checkpoint(tmp_path: Path) -> None:
    message = "RuntimeError: Tensor cached during selective activation checkpoint has been mutated"
    report = read_report(f"step 3\n{message}\n")
    assert report is not None
    assert (report.kind, report.message) == ("cached", message)
    source = TWO_SIGMOIDS.replace("y *= 2", "y.data.mul_(2)")
    found = explain(report, lint_source(source, "two.py", Config(select=("IPL2", "IPL401"))))
    assert [(each.code, each.site.span.row) for each in found.possible] == [("IPL401", 5), ("IPL202", 10)]


def test_says_why_others_do_not_fit(program: Path) -> None:
    found = explained(error_of(program, "sigmoid"), program)
    reasons = {each.site.span.row: str(each.verdict) for each in found.others}
    assert reasons[row("exp")] == "unlikely: the tensor is the result of Sigmoid, another backward pass"
    assert reasons[row("step")].startswith("unlikely: the tensor is the result of Sigmoid, no parameter")


def refused(case: Case) -> bool:
    return any(severity == "error" and code[3] == "1" for _, severity, code in case.marks)


@pytest.mark.parametrize("case", [case for case in CASES if refused(case)], ids=lambda case: case.name)
def test_explains_each_refusal(case: Case) -> None:
    """Every kind of error that a write raises at once, by its text and line."""
    from traceback import format_exc

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            case.program()()
        except RuntimeError:
            text = format_exc()
        else:
            pytest.fail("PyTorch raised nothing")
        finally:
            torch.set_grad_enabled(True)
    found = explained(text, case.file)
    assert {(each.site.span.row, each.code) for each in found.fitting} <= {(r, code) for r, _, code in case.marks}
    assert found.fitting


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[object, str, str]:
    with pytest.raises(SystemExit) as exit:
        cli.main(["explain", *args])
    return exit.value.code, *capsys.readouterr()


def test_reads_an_argument_a_file_or_standard_input(
    program: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = error_of(program, "exp")
    (program.parent / "train.log").write_text(text)
    options = ("--output-format", "json")
    for args in ([text], ["--file", str(program.parent / "train.log"), str(program)], [], ["--file", "-"]):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        code, out, _ = run(capsys, *options, *args)
        assert code == 0
        (found,) = json.loads(out)
        assert found["location"]["row"] == row("exp")
        assert found["verdict"].startswith("fits: the tensor is the result of Exp")


def test_says_what_anomaly_mode_would_add(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "set_detect_anomaly" in run(capsys, error_of(program, "sigmoid"))[1]
    assert "set_detect_anomaly" not in run(capsys, error_of(program, "sigmoid", anomaly=True))[1]
    assert "set_detect_anomaly" not in run(capsys, error_of(program, "leaf"))[1]


def test_without_a_match_shows_the_candidates(
    program: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    message = error_of(program, "sigmoid").strip().split("\n")[-1].replace("Sigmoid", "Tanh")
    code, out, _ = run(capsys, message, str(program))
    assert code == 1
    assert "shape [3], the result of Tanh, was modified once" in out
    assert f"candidate: {program}:{row('sigmoid')}:5: IPL202" in out
    (tmp_path / "empty.py").write_text("")
    code, out, _ = run(capsys, message, str(tmp_path / "empty.py"))
    assert code == 1
    assert "inplace-lint run" in out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["no_such_file.py"], "no such file: no_such_file.py"),
        (["--file", "no_such.log"], "no_such.log: cannot be read"),
        (["RuntimeError: CUDA out of memory."], "no error of PyTorch's about an in-place operation"),
    ],
)
def test_says_what_it_cannot_use(capsys: pytest.CaptureFixture[str], args: list[str], message: str) -> None:
    code, _, err = run(capsys, *args)
    assert code == 2
    assert message in err
