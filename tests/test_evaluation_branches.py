"""What is written only where `training` is false informs: nobody differentiates there."""

from __future__ import annotations

import pytest

from inplace_lint import Config, lint_source

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
_EVALUATES = ["if not self.training:\n    h.mul_(2)", "if self.training:\n    h = h * 2\nelse:\n    h.mul_(2)"]
_TRAINS = [
    "if self.training:\n    h.mul_(2)",
    "if not self.training:\n    h = h + 1\nh.mul_(2)",
    "if self.straining:\n    h = h * 2\nelse:\n    h.mul_(2)",
]


def _severities(branch: str) -> list[str]:
    lines = "\n".join(" " * 8 + line for line in branch.split("\n"))
    return [
        found.severity for found in lint_source(_MODEL.format(branch=lines), "model.py", Config(select=("IPL202",)))
    ]


@pytest.mark.parametrize("branch", _EVALUATES)
def test_evaluation_informs(branch: str) -> None:
    assert _severities(branch) == ["info"]


@pytest.mark.parametrize("branch", _TRAINS)
def test_training_does_not(branch: str) -> None:
    assert set(_severities(branch)) in ({"error"}, {"warning"}, {"error", "warning"})
