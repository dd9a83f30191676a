"""Optimizers of libraries: what their groups hold, and when they step."""

from __future__ import annotations

from pathlib import Path

import pytest
from installed_programs import found, install, result

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.usefixtures("in_own_folder")

STEPPING = """from functools import partial

import torch


class Stepping(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1, fused=None, early=False):
        super().__init__(params, dict(lr=lr, fused=fused, early=early))

    @torch.no_grad()
    def step(self, closure=None, only=None):
        for group in self.param_groups:
            for parameter in [only] if only is not None else group["params"]:
                if group["fused"]:
                    torch.ops.made_elsewhere.stepped(parameter, parameter.grad, group["lr"])
                elif group["early"] == (only is not None):
                    parameter.sub_(group["lr"] * parameter.grad)


def _stepped(parameter, optimizer):
    optimizer.step(only=parameter)


def step_early(model, optimizer):
    if not optimizer.defaults["early"]:
        raise ValueError("it steps late")
    for parameter in model.parameters():
        parameter.register_post_accumulate_grad_hook(partial(_stepped, optimizer=optimizer))
"""
LOSSES = """import torch
from stepping import Stepping, step_early
from torch import nn


def main():
    trunk = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 2))
    optimizer = Stepping(trunk.parameters(), early={early})
    if {early}:
        step_early(trunk, optimizer)
    first, second = trunk(torch.ones(2, 3)).sum(0)
    {backward}
    optimizer.step()


if __name__ == "__main__":
    main()
"""
BOTH = "(first + second).backward()"
ONE_BY_ONE = """first.backward(retain_graph=True)
    second.backward()"""


@pytest.mark.parametrize("early", [True, False])
@pytest.mark.parametrize("backward", [BOTH, ONE_BY_ONE], ids=["both", "one by one"])
def test_a_step_between_two_backward_passes(tmp_path: Path, early: bool, backward: str) -> None:
    env = install(tmp_path / "env", {"stepping/__init__.py": STEPPING})
    text = LOSSES.format(early=early, backward=backward)
    raises = early and backward == ONE_BY_ONE
    assert isinstance(result(text, env), RuntimeError) == raises
    assert found(text, env) == ([("IPL203", 12, "main.py")] if raises else [])
