"""What `memory --advise` proposes keeps results and gradients, and lowers the peak as it says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from inplace_lint.cli import main
from inplace_lint.runtime.inputs import read_inputs
from inplace_lint.runtime.memory.advise.advise import Advice, advise
from inplace_lint.runtime.memory.advise.calls import Spelled
from inplace_lint.runtime.memory.advise.edits import in_place_spelling
from inplace_lint.runtime.memory.advise.held import THE_RESULT
from inplace_lint.runtime.memory.advise.lives import GIVEN
from inplace_lint.runtime.target import load

PROGRAM = """
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint


def chain(x):
    y = x + 1
    y = y.mul(2)
    y = F.relu(y)
    y = 3 - torch.exp(y)
    return -y


def read_again(x):
    y = x + 1
    z = torch.sigmoid(y)
    return torch.cat([z, y, x])


def returned(x):
    y = x + 1
    return y, torch.sigmoid(y), x.exp()


def seen_by_numpy(x):
    y = x + 1
    memory = y.numpy()
    z = F.relu(y)
    return z + float(memory[0, 0])


def a_part(x):
    y = x + 1
    return y[:2].relu(), y[2:].t().relu()


def copied(x):
    y = x + 1
    w = y.clone()
    big = w.exp()
    return w * y


def on_one_line(x):
    return [torch.relu(each) for each in (x, x + 1)]


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        return x + self.drop(self.down(F.gelu(self.up(x))))


class Stack(nn.Module):
    def __init__(self, checkpointed=False, normed=False):
        super().__init__()
        self.blocks = nn.ModuleList(Block(8) for _ in range(4))
        self.checkpointed = checkpointed
        if normed:
            for block in self.blocks:
                block.drop = nn.BatchNorm1d(8)

    def forward(self, x):
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False) if self.checkpointed else block(x)
        self.last = x * 1
        return x.sum()
"""


LIGHT = """
import argparse
import threading
import torch


class Trainer:
    def __init__(self):
        self.lock = threading.Lock()  # cannot be copied


class Light(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(width))

    def training_step(self, batch, number):
        return (self.scale * batch).exp().mean()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, required=True)
    width = parser.parse_args().width
    model = Light(width)
    model._trainer = Trainer()
    model.training_step(torch.ones(width), 0).backward()
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("advice") / "program.py"
    file.write_text(PROGRAM, "utf-8")
    return file


def advised(file: Path, name: str, *inputs: str, recorded: bool = False, **init: bool) -> Advice:
    return advise(load(f"{file}:{name}", init, read_inputs(inputs)), recorded)


def places(advice: Advice) -> list[str]:
    return sorted(place.call.op for place in advice.in_place.places)


X = "x=randn(4, 1000)"
SIZE = 4 * 4 * 1000


def test_what_nobody_reads_again_could_be_in_place(program: Path) -> None:
    advice = advised(program, "chain", X)
    assert (advice.run.peak, advice.in_place.peak) == (4 * SIZE, 3 * SIZE)
    assert places(advice) == ["exp", "mul", "neg", "relu"]


@pytest.mark.parametrize("name", ["read_again", "returned", "seen_by_numpy", "a_part", "on_one_line"])
def test_what_is_read_again_could_not(program: Path, name: str) -> None:
    advice = advised(program, name, X)
    assert [op for op in places(advice) if op in ("relu", "sigmoid")] == []


def test_in_training_what_is_saved_decides(program: Path) -> None:
    advice = advised(program, "chain", "x=randn(4, 1000, requires_grad=True)", recorded=True)
    assert advice.run.in_backward
    assert advice.in_place.peak == advice.run.peak
    assert not any(place.needed for place in advice.in_place.places)


def test_who_holds_what_is_never_read_again(program: Path) -> None:
    held = {(each.op, each.by) for each in advised(program, "copied", X).held}
    assert ("exp", "`big` of `copied`") in held
    stack = advised(program, "Stack", "x=randn(500, 8)", recorded=True)
    assert ("mul", "`self.last`") in {(each.op, each.by) for each in stack.held}
    assert ("add", THE_RESULT) in {(each.op, each.by) for each in advised(program, "returned", X).held}


def test_a_copy_beside_its_original(program: Path) -> None:
    ((op, count, size),) = [(each.op, each.count, each.size) for each in advised(program, "copied", X).twice]
    assert (op, count, size) == ("clone", 1, SIZE)


def test_checkpointing_is_measured(program: Path) -> None:
    (advice,) = advised(program, "Stack", "x=randn(500, 8)", recorded=True).checkpoints
    assert (advice.kind, len(advice.layers), advice.buffers) == ("Block", 4, True)
    whole = advised(program, "Stack", "x=randn(500, 8)", recorded=True, checkpointed=True)
    assert whole.run.peak == advice.peak
    assert whole.checkpoints == []


def test_a_checkpoint_shows_each_batch_to_batch_norm_twice(program: Path) -> None:
    (advice,) = advised(program, "Stack", "x=randn(500, 8)", recorded=True, normed=True).checkpoints
    assert not advice.buffers


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["memory", *args])
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


@pytest.mark.parametrize(
    ("text", "function", "alone", "spelled"),
    [
        ("x.mul(2)", "torch.Tensor.mul", True, "x.mul_(2)"),
        ("torch.clamp(x + 1, min=0)", "torch.clamp", True, "(x + 1).clamp_(min=0)"),
        ("F.relu(y)", "torch.nn.functional.relu", True, "F.relu(y, inplace=True)"),
        ("F.dropout(y, 0.1, inplace=False)", "torch.nn.functional.dropout", True, "F.dropout(y, 0.1, inplace=True)"),
        ("F.dropout(y, 0.1, True, False)", "torch.nn.functional.dropout", True, None),
        ("self.act(y)", "torch.nn.functional.relu", True, None),
        ("(a + b) * c", "torch.Tensor.mul", False, "(a + b).mul_(c)"),
        ("2 * x", "torch.Tensor.mul", True, "x.mul_(2)"),
        ("scale * x", "torch.Tensor.mul", True, None),
        ("x - scale", "torch.Tensor.sub", True, "x.sub_(scale)"),
        ("-y", "torch.Tensor.neg", True, "y.neg_()"),
    ],
)
def test_how_a_call_is_spelled_in_place(text: str, function: str, alone: bool, spelled: str | None) -> None:
    assert in_place_spelling(text, Spelled(None, "", function, 0, alone, False)) == spelled


def test_text_json_and_the_difference(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = (f"{program}:copied", "--input", X, "--no-grad", "--advise")
    status, out, _ = run(capsys, *given)
    assert status == 0
    assert "could be in place, with the same results and gradients to the bit; the peak falls" in out
    assert "held by" in out
    made = json.loads(run(capsys, *given, "--output-format", "json")[1])
    assert made["in_place"]["peak"] < made["peak"]
    assert {"filename", "row", "op", "held_by", "count", "size"} == set(made["held"][0])
    difference = run(capsys, *given, "--diff")[1].splitlines()
    assert [line[1:].strip() for line in difference if line.startswith("+ ")] == ["return w.mul_(y)"]


def test_what_is_proposed_for_a_checkpointed_model(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = (f"{program}:Stack", "--init", "checkpointed=True", "--input", "x=randn(50,8)")
    status, _, err = run(capsys, *target)
    assert status == 2
    assert "--advise runs it as it is" in err
    status, out, _ = run(capsys, *target, "--advise")
    assert status == 0
    assert "peak" in out.splitlines()[0]


def test_a_training_step_is_taken_from_a_script_with_its_arguments(tmp_path: Path) -> None:
    script = tmp_path / "light train.py"
    script.write_text(LIGHT, "utf-8")
    advice = advise(load(f"{script}:Light", script=f"'{script}' --width 1000"))
    assert [each.size for each in advice.run.lives if each.born == GIVEN].count(4000) == 2
    assert advice.run.outcome.gradients.keys() == {"module.scale"}


def test_options_that_do_not_go_together(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "--diff needs --advise" in run(capsys, f"{program}:chain", "--input", X, "--diff")[2]
    assert "not for --advise" in run(capsys, f"{program}:chain", "--input", X, "--advise", "--plot", "a.svg")[2]


def test_the_program_is_left_as_it_was(program: Path) -> None:
    before = torch.is_grad_enabled(), torch.nn.Module.__call__
    advised(program, "chain", X)
    assert (torch.is_grad_enabled(), torch.nn.Module.__call__) == before
