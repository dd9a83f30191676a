"""`confirm` refutes a finding only where the program itself, out of place, has the same values and gradients."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.pipeline.lint_paths import lint_paths
from inplace_lint.project.config import Config
from inplace_lint.runtime.confirm.judge import judge
from inplace_lint.runtime.inputs import read_inputs
from inplace_lint.runtime.target import load

MODELS = """
import torch
import torch.nn.functional as F
from torch import nn
from torch.autograd.graph import saved_tensors_hooks
from torch.utils.checkpoint import checkpoint


class Checkpointed(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def inner(self, x):
        h = torch.sigmoid(self.linear(x))
        h.mul_(2)
        return self.linear(h)

    def forward(self, x):
        return checkpoint(self.inner, x, use_reentrant=False)


class ComputedAgain(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.register_buffer("scale", torch.ones(3))

    def inner(self, x):
        return torch.tanh(self.linear(x) * self.scale)

    def forward(self, x):
        y = checkpoint(self.inner, self.linear(x), use_reentrant=True)
        self.scale.mul_(0.5)
        return y


class SameMemory(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        h = torch.sigmoid(self.linear(x))
        with saved_tensors_hooks(lambda t: t, lambda t: t):
            h = torch.tanh(h)
        h.mul_(2)
        return h


class Copied(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        with saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):
            h = torch.tanh(self.linear(x))
            h += 1
        return h


class Queue(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.ones(3))

    def forward(self, x):
        old = self.mean
        self.mean.mul_(0.5)
        return x - old


class Weight(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))

    def forward(self, x):
        old = self.weight
        with torch.no_grad():
            self.weight.mul_(0.5)
        return x * old


class Compiled(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.compiled = torch.compile(self.inner, backend="eager")

    def inner(self, h):
        identity = h
        h = F.relu_(h)
        return h * 10 + identity

    def forward(self, x):
        return self.compiled(self.linear(x))


class ZeroWeights(nn.Module):
    def __init__(self, trained=True):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        nn.init.zeros_(self.linear.weight)
        nn.init.zeros_(self.linear.bias)
        self.requires_grad_(trained)

    def forward(self, x):
        h = self.linear(x)
        identity = h
        h = h.clamp_(-0.01, 0.01)
        return h + 2 * identity


class InTraining(nn.Module):
    def forward(self, x):
        identity = x * 1
        h = identity.mul_(2 if self.training else 1)
        return h + identity
"""


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Sequence[Diagnostic]]:
    file = tmp_path_factory.mktemp("refuted") / "models.py"
    file.write_text(MODELS, "utf-8")
    return file, lint_paths((str(file),), Config(), 1).diagnostics


def verdicts(models: tuple[Path, Sequence[Diagnostic]], name: str, evaluate: bool = False, **init: Any) -> list[str]:
    file, found = models
    target = load(f"{file}:{name}", init, read_inputs(["x=tensor([-1.0, 0.5, 2.0])"]), evaluate=evaluate)
    judged = [each.verdict or "" for each in judge(target, lambda _: found).diagnostics]
    return [each for each in judged if each != "not reached"]


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("Checkpointed", "confirmed: PyTorch does not raise, and gradients differ by up to"),
        ("ComputedAgain", "confirmed: PyTorch does not raise, and gradients differ by up to"),
        ("SameMemory", "confirmed: gradients differ by up to"),
        ("Queue", "confirmed: values differ by up to 0.5 "),
        ("Weight", "confirmed: values differ by up to 1 "),
        ("Compiled", "confirmed: values differ by up to"),
        ("ZeroWeights", "confirmed: values differ by up to"),
    ],
)
def test_what_is_wrong_is_not_refuted(models: tuple[Path, Sequence[Diagnostic]], name: str, verdict: str) -> None:
    (found,) = verdicts(models, name)
    assert found.startswith(verdict)
    assert found.endswith("hold noise") == (name == "ZeroWeights")


def test_a_copy_that_hooks_make_is_a_refutation(models: tuple[Path, Sequence[Diagnostic]]) -> None:
    (found,) = verdicts(models, "Copied")
    assert found.startswith("refuted: ")


def test_what_other_weights_or_the_other_mode_would_show_is_undecided(
    models: tuple[Path, Sequence[Diagnostic]],
) -> None:
    (frozen,) = verdicts(models, "ZeroWeights", trained=False)
    assert frozen.startswith("undecided: the same on these inputs, but with noise in buffers and frozen parameters")
    (found,) = verdicts(models, "InTraining", evaluate=True)
    assert found.startswith("undecided: the same on these inputs, but in training mode values differ")
