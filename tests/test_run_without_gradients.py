"""Programs that run a function of theirs only without gradients: a finding that needs them does not hold there."""

from __future__ import annotations

import pytest

from inplace_lint import lint_source

SOLVERS = """
import torch
from torch import nn

SOLVERS = {{}}


def solver(name):
    def told(function):
        SOLVERS[name] = function
        return function

    return told


class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(2, 2)

    def forward(self, x):
        return self.net(x)


@solver("euler")
def euler(field, x):
    work = torch.empty_like(x)
    torch.add(x, field(x), out=work)
    return work


def main():
    field, x = Field(), torch.ones(1, 2)
    field(x).sum().backward()
    with torch.{mode}():
        return {{name: each(field, x) for name, each in SOLVERS.items()}}


{start}
"""
DECODER = """
import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.keys = nn.Linear(2, 2)
        self.register_buffer("cache", torch.zeros(4, 2))

    def forward(self, x, place):
        self.cache[place] = self.keys(x)
        return x @ self.cache.T


@torch.no_grad()
def {name}(model, x):
    return [model(x, place) for place in range(4)]


def main():
    model = Decoder()
    print({name}(model, torch.ones(2)))
    {also}


{start}
"""
START = 'if __name__ == "__main__":\n    main()'
TRAINING = "for _ in range(2): model(torch.ones(2), 0).sum().backward()"


@pytest.mark.parametrize(
    ("mode", "start", "found"),
    [
        ("no_grad", START, []),
        ("inference_mode", START, []),
        ("enable_grad", START, ["IPL105"]),
        ("no_grad", "", ["IPL105"]),
    ],
)
def test_a_function_that_a_registry_hands_out(mode: str, start: str, found: list[str]) -> None:
    assert [each.code for each in lint_source(SOLVERS.format(mode=mode, start=start))] == found


@pytest.mark.parametrize(
    ("name", "also", "start", "found"),
    [
        ("generate", "pass", START, False),
        ("greedy_decode", "pass", START, False),
        ("looked_at", "pass", START, True),
        ("generate", TRAINING, START, True),
        ("generate", "pass", "", True),
    ],
)
def test_a_module_that_a_program_only_infers_with(name: str, also: str, start: str, found: bool) -> None:
    text = DECODER.format(name=name, also=also, start=start)
    assert bool([each.code for each in lint_source(text)]) is found
