"""What `get` gives may be None, also where it is a tensor otherwise."""

from __future__ import annotations

import pytest
from linted import linted

PROGRAM = """
import torch
from torch import nn


class Encoder:
    def __init__(self):
        self.net = nn.Linear(3, 3)

    def encode(self, inputs):
        images = {looked_up}
        weight = self.net.weight
        if images is None:
            weight += 1
        else:
            weight = weight * self.net(images)
        return weight


def encoded(inputs):
    return Encoder().encode(inputs)
"""


@pytest.mark.parametrize(
    ("looked_up", "codes"), [('inputs.get("images")', ["IPL101"]), ("torch.ones(3)", [])], ids=["get", "new"]
)
def test_what_is_tested(looked_up: str, codes: list[str]) -> None:
    found = linted(PROGRAM.format(looked_up=looked_up).encode(), "program.py")
    assert [each.code for each in found] == codes
