"""Classes of which no program is in view: their methods are called one after the other, as their users do."""

from __future__ import annotations

import pytest
import torch
from linted import linted
from torch_oracle import load

OPTIMIZER = """
import torch


class HeavyBall(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1, momentum=0.9):
        super().__init__(params, dict(lr=lr, momentum=momentum))

    def zero_grad(self, set_to_none={default}):
        super().zero_grad(set_to_none=set_to_none)

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if "velocity" not in state:
                    state["velocity"] = p.grad{copied}
                else:
                    state["velocity"].mul_(group["momentum"]).add_(p.grad)
                p.add_(state["velocity"], alpha=-group["lr"])
"""


def _trained(text: str) -> torch.Tensor:
    parameter = torch.nn.Parameter(torch.ones(2))
    optimizer = load(text, "optimizer.py")["HeavyBall"]([parameter])
    for _ in range(3):
        optimizer.zero_grad()
        parameter.square().sum().backward()
        optimizer.step()
    return parameter.detach()


@pytest.mark.parametrize("default", [False, True])
def test_an_optimizer_that_keeps_gradients_which_it_zeroes(default: bool) -> None:
    kept, copied = (OPTIMIZER.format(default=default, copied=copied) for copied in ("", ".clone()"))
    hurts = not torch.allclose(_trained(kept), _trained(copied))
    assert hurts is not default
    assert {found.code for found in linted(kept.encode(), "optimizer.py")} == ({"IPL304"} if hurts else set())
    assert not linted(copied.encode(), "optimizer.py")


COUNTS = """
import torch


class Counts:
    def __init__(self, size):
        self.blank = torch.zeros(size)
        self.reset()

    def reset(self):
        self.table = self.blank{copied}

    def update(self, labels):
        self.table += torch.bincount(labels, minlength=len(self.table))
"""


@pytest.mark.parametrize(("copied", "codes"), [("", ["IPL304"]), (".clone()", [])])
def test_a_metric_that_begins_anew_with_what_it_has(copied: str, codes: list[str]) -> None:
    text = COUNTS.format(copied=copied)
    counts = load(text, "counts.py")["Counts"](2)
    for _ in range(2):
        counts.reset()
        counts.update(torch.tensor([0, 1]))
    assert counts.table.sum() == (4 if codes else 2)
    assert [found.code for found in linted(text.encode(), "counts.py")] == codes


ROLLOUT = """
import torch


class Pendulum:
    def __init__(self, size):
        self.angle = torch.zeros(size)

    def reset(self):
        self.angle.zero_()
        return self.angle

    def step(self, torque):
        self.angle += torque
        return self.angle{copied}


class Collector:
    def __init__(self, env):
        self.env = env

    def collect(self, torques):
        seen = []
        self.env.reset()
        for torque in torques:
            seen.append(self.env.step(torque))
        return torch.stack(seen)
"""


@pytest.mark.parametrize(("copied", "codes"), [("", {"IPL304"}), (".clone()", set())])
def test_an_environment_that_overwrites_what_it_has_given(copied: str, codes: set[str]) -> None:
    text = ROLLOUT.format(copied=copied)
    program = load(text, "rollout.py")
    seen = program["Collector"](program["Pendulum"](1)).collect(torch.ones(3, 1))
    assert seen.sum() == (9 if codes else 6)
    assert {found.code for found in linted(text.encode(), "rollout.py")} == codes


NECK = """
import torch
from torch import nn


def added(fine, coarse):
    return coarse + fine


def scaled(fine, coarse):
    {scaled}
    return coarse


FUSERS = {{"added": added, "scaled": scaled}}


class Neck(nn.Module):
    def __init__(self, fuse="added"):
        super().__init__()
        self.fuse = FUSERS{chosen}

    def forward(self, features):
        levels = [torch.tanh(each) for each in features]
        return self.fuse(levels[0], levels[1]).sum()
"""


@pytest.mark.parametrize("chosen", ["[fuse]", ".get(fuse)"])
@pytest.mark.parametrize(("scaled", "codes"), [("coarse *= fine", ["IPL202"]), ("coarse = coarse * fine", [])])
def test_a_function_that_an_option_chooses_from_a_table(scaled: str, codes: list[str], chosen: str) -> None:
    text = NECK.format(scaled=scaled, chosen=chosen)
    assert [found.code for found in linted(text.encode(), "neck.py")] == codes
    features = [torch.ones(2, requires_grad=True) for _ in range(2)]
    loss = load(text, "neck.py")["Neck"]("scaled")(features)
    if codes:
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()
    else:
        loss.backward()
