"""Callers in view refute what they never do, not what a program may do on a path that nobody followed."""

from __future__ import annotations

import pytest
from linted import linted

TRAINING = """
import torch
from torch import nn


def train(x, epochs, out):
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    best, best_state, waited = float("inf"), None, 0
    for _ in range(epochs):
        loss = model(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if {better}:
            best, best_state, waited = loss.item(), model.state_dict().copy(), 0
        else:
            waited += 1
        if waited > 3:
            break
    model.load_state_dict(best_state)
    if out is not None:
        torch.save(best_state, out)
    return model


def main():
    torch.manual_seed(0)
    train(torch.ones(1, 2), epochs=30, out="best.pt")


main()
"""
CHOSEN = """
import torch


def doubled(often):
    x = torch.ones(3, requires_grad=True)
    y = x.exp()
    if often:
        y.mul_(2)
    y.sum().backward()


doubled({often})
"""
# The program has no step left for what comes after the call of `prepared` within `doubled`.
STOPPED = """
import torch


def prepared(n):
    {work}
    return n


def doubled(often):
    x = torch.ones(3, requires_grad=True)
    y = x.exp()
    {within}
    if often:
        y.mul_(2)
    y.sum().backward()


def main():
    {before}
    doubled({often})


main()
"""
CUSTOM = """
import torch
from torch import nn


class Centered(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, mean):
        mean.copy_(0.9 * mean + 0.1 * x.mean())
        return x - mean

    @staticmethod
    def backward(ctx, grad):
        return grad, None


class Centering(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = {mean}

    def forward(self, x):
        return Centered.apply(x, self.mean)
"""


def _codes(program: str) -> list[str]:
    return [each.code for each in linted(program.encode(), "program.py")]


def test_a_path_that_was_not_followed_refutes_nothing() -> None:
    assert _codes(TRAINING.format(better="loss.item() < best")) == ["IPL304"]


@pytest.mark.parametrize(("often", "codes"), [("False", []), ("True", ["IPL202"])])
def test_what_the_program_passes_decides(often: str, codes: list[str]) -> None:
    assert _codes(CHOSEN.format(often=often)) == codes


@pytest.mark.parametrize(("before", "codes"), [(0, []), (14, ["IPL202"])], ids=["whole", "stopped"])
def test_a_path_that_stops_within_a_function_refutes_nothing_of_it(before: int, codes: list[str]) -> None:
    work = "\n    ".join(["n = n + 1"] * 100)
    calls = {key: "\n    ".join(["prepared(1)"] * (10 * n)) for key, n in (("within", 1), ("before", before))}
    assert _codes(STOPPED.format(work=work, often="False", **calls)) == codes


@pytest.mark.parametrize(
    ("mean", "codes"),
    [("nn.Buffer(torch.zeros(()))", []), ("nn.Parameter(torch.zeros(()))", ["IPL403"])],
    ids=["buffer", "parameter"],
)
def test_what_a_custom_function_is_given_decides(mean: str, codes: list[str]) -> None:
    assert _codes(CUSTOM.format(mean=mean)) == codes
