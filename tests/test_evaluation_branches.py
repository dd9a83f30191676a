"""What is written only where a flag says that nobody trains raises for those who take gradients in evaluation."""

from __future__ import annotations

import pytest

from inplace_lint import lint_source

_MODEL = """
import torch
from torch import nn


class Scores(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        h = self.layer(x).sigmoid()
{branch}
        return h
"""
_EVALUATES = [
    "if not self.training:\n    h.mul_(2)",
    "if self.training:\n    h = h * 2\nelse:\n    h.mul_(2)",
    "if self.predict_mode:\n    h.mul_(2)",
    "if not self.inference:\n    h = h * 2\nelse:\n    h.mul_(2)",
    "if self.is_test:\n    h.mul_(2)",
    "if self.training:\n    h = torch.randn_like(h).mul(h)\nh.add_(1)",
]
_TRAINS = [
    "if self.training:\n    h.mul_(2)",
    "if not self.training:\n    h = h + 1\nh.mul_(2)",
    "if self.straining:\n    h = h * 2\nelse:\n    h.mul_(2)",
    "if not self.predict_mode:\n    h.mul_(2)",
    "if self.tested:\n    h.mul_(2)",
    "if self.training:\n    g = torch.randn_like(h)\nh.add_(1)",
]


def _told(branch: str) -> list[tuple[str, bool]]:
    lines = "\n".join(" " * 8 + line for line in branch.split("\n"))
    found = lint_source(_MODEL.format(branch=lines), "model.py")
    return [(each.severity, each.message.endswith(" if gradients are taken in evaluation")) for each in found]


@pytest.mark.parametrize("branch", _EVALUATES)
def test_evaluation_is_a_condition(branch: str) -> None:
    assert _told(branch) == [("warning", True)]


@pytest.mark.parametrize("branch", _TRAINS)
def test_training_is_none(branch: str) -> None:
    assert _told(branch)[0] == ("error", False)


_PADDED = """
import torch
from torch import nn


class Padded(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.register_buffer("before", torch.zeros(1, count))

    def pad_inference(self, x):
        return torch.cat((self.before, x), -1)

    def forward(self, x, {flag}):
        if {flag}:
            x = self.pad_inference(x)
        return x


class Layers(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.padded = Padded(count)
        self.layer = nn.Linear(3, 3)

    def forward(self, x, {flag}):
        x = torch.sigmoid(self.layer(self.padded(x, {flag})))
        x.mul_(0.5)
        return self.padded(x, {flag})
"""


def test_training_is_followed_first() -> None:
    ways = [lint_source(_PADDED.format(flag=flag), "model.py") for flag in ("inference", "eval_mode")]
    assert [[each.code for each in found] for found in ways] == [["IPL202"], ["IPL202"]]
