"""A program refutes what it never does, not what it may do on a path that nobody followed."""

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


def _codes(program: str) -> list[str]:
    return [each.code for each in linted(program.encode(), "program.py")]


def test_a_path_that_was_not_followed_refutes_nothing() -> None:
    assert _codes(TRAINING.format(better="loss.item() < best")) == ["IPL304"]


@pytest.mark.parametrize(("often", "codes"), [("False", []), ("True", ["IPL202"])])
def test_what_the_program_passes_decides(often: str, codes: list[str]) -> None:
    assert _codes(CHOSEN.format(often=often)) == codes
