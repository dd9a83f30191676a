"""What names, and the mode of the moment, say about values that come from outside."""

from __future__ import annotations

import pytest

from inplace_lint.pipeline.lint_file import lint_source
from inplace_lint.project.config import Config

_ROWS = """
import torch


def {name}(samples):
    batch = torch.zeros(len(samples), 4)
    for row, sample in zip(batch, samples):
        row[: sample.numel()].copy_(sample * 1.0)
    return batch
"""


@pytest.mark.parametrize("name", ["collate", "pad_collate", "collate_fn", "preprocess", "_post_process_batch"])
def test_nobody_differentiates_what_prepares_data(name: str) -> None:
    assert lint_source(_ROWS.format(name=name)) == []


@pytest.mark.parametrize("name", ["combine", "process", "pad"])
def test_others_may_be_given_what_requires_grad(name: str) -> None:
    assert [found.code for found in lint_source(_ROWS.format(name=name))] == ["IPL103"]


_FEATURES = """
import torch
from networks import features


def distance(x):
    with torch.{mode}:
        h = features(x)
    squares = torch.square(h)
    h.add_(1)
    return squares
"""


@pytest.mark.parametrize(
    ("mode", "codes"), [("no_grad()", []), ("enable_grad()", ["IPL201"]), ("set_grad_enabled(False)", [])]
)
def test_what_others_make_without_gradients_requires_none(mode: str, codes: list[str]) -> None:
    assert [found.code for found in lint_source(_FEATURES.format(mode=mode))] == codes


_AVERAGE = """
from copy import deepcopy


class Average:
    def __init__(self, model):
        self.model, self.average = model, deepcopy(model)
        {freezing}

    def update(self):
        for mean, now in zip(self.average.parameters(), self.model.parameters()):
            mean.mul_(0.9).add_(now.data, alpha=0.1)
"""


@pytest.mark.parametrize(
    "freezing",
    [
        "for each in self.average.parameters(): each.requires_grad_(False)",
        "for each in self.average.parameters(): each.detach_()",
        "for each in self.average.parameters(): each.requires_grad = False",
        "self.average.requires_grad_(False)",
    ],
)
def test_an_unknown_model_stays_frozen(freezing: str) -> None:
    assert lint_source(_AVERAGE.format(freezing=freezing)) == []


def test_an_unknown_model_may_be_trained() -> None:
    assert [found.code for found in lint_source(_AVERAGE.format(freezing="self.average.eval()"))] == ["IPL101"]


def test_helpers_that_only_run_without_gradients() -> None:
    text = """
import torch


class Average:
    def __init__(self, module, skip=False):
        self.module, self.skip = module, skip

    @torch.no_grad()
    def update(self, model):
        if self.skip:
            self.apply(model)

    def apply(self, model):
        for ours, theirs in zip(self.module.parameters(), model.parameters()):
            ours.lerp_(theirs, 0.1)
"""
    assert not lint_source(text)
    assert lint_source(text.replace("    @torch.no_grad()\n", ""))


_DECODER = """
import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def step(self, tokens):
        x = tokens * 2
        y = self.layer(x)
        x += y
        return x


@torch.no_grad()
def generate(decoder, tokens):
    for _ in range(2):
        tokens = decoder.step(tokens)
    return tokens


if __name__ == "__main__":
    generate(Decoder(), torch.ones(3))
"""


def test_a_step_of_a_layer_is_called_by_the_program_alone() -> None:
    assert not lint_source(_DECODER)
    trained = _DECODER.replace("    generate(", "    Decoder().step(torch.ones(3)).sum().backward()\n    generate(")
    assert [found.code for found in lint_source(trained)] == ["IPL201"]


def test_a_function_that_only_calls_itself_runs_with_gradients() -> None:
    text = """
import torch


def rand(size, requires_grad: bool):
    x = torch.rand(size, requires_grad=requires_grad)
    x[0] = 1.0
    return x
"""
    assert lint_source(text)


def test_kernels_are_no_entry_points() -> None:
    text = """
import torch


def kernel(Y: torch.Tensor, index):
    Y.scatter(0, index, 1.0)
"""
    assert lint_source(text)
    assert not lint_source(text.replace("def kernel", "@triton.jit\ndef kernel"))


def test_arguments_that_are_perhaps_left_out() -> None:
    text = """
import torch


class Scaler:
    def __init__(self):
        self.buffer = torch.zeros(3)
        self.last = self.buffer

    def scale(self, x, out=None):
        if out is None:
            pass
        if out is None:
            out = x
        out.mul_(2.0)
        return out
"""
    found = lint_source(text, config=Config(extend_select=("IPL305",)))
    assert [diagnostic.code for diagnostic in found] == ["IPL305"]


_STREAMED = """
import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(3, 3)

    def step_(self, state):
        kept = torch.sigmoid(self.gate(state))
        return state.mul_(kept)


def pushed(cell, state):
    with torch.{mode}():
        return cell.step_(state)
"""
_STARTED = """

if __name__ == "__main__":
    print(pushed(Cell(), torch.ones(3)))
"""


@pytest.mark.parametrize(
    ("mode", "started", "codes"),
    [("no_grad", "", ["IPL201"]), ("no_grad", _STARTED, []), ("enable_grad", _STARTED, ["IPL201"])],
)
def test_nobody_but_a_program_calls_what_it_defines(mode: str, started: str, codes: list[str]) -> None:
    found = lint_source(_STREAMED.format(mode=mode) + started)
    assert [each.code for each in found if each.severity == "error"] == codes


_POINTS = """
import numpy as np


def scaled(points):
    {told}
    flat = points / points[..., 2:]
    flat[..., :2] = flat[..., :2] * (flat[..., :2] ** 2).sum(-1, keepdim=True)
    return flat
"""


@pytest.mark.parametrize(("told", "codes"), [("pass", ["IPL201"]), ("assert isinstance(points, np.ndarray)", [])])
def test_what_is_asserted_to_be_an_array_has_no_history(told: str, codes: list[str]) -> None:
    assert sorted({found.code for found in lint_source(_POINTS.format(told=told))}) == codes


_SPREAD = """
import torch
{other}


def scaled(x):
    spread = x.std(0)
    spread[spread == 0] = 1
    return x / spread
"""


@pytest.mark.parametrize(("other", "codes"), [("", ["IPL202"]), ("import numpy as np", []), ("import pandas", [])])
def test_methods_that_arrays_have_too_tell_where_there_are_no_arrays(other: str, codes: list[str]) -> None:
    assert [found.code for found in lint_source(_SPREAD.format(other=other))] == codes
