"""Layers in a row that a function makes, or a class that derives from `nn.Sequential`, are called by others."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from linted import linted

MAKERS = """
from torch import nn


def made(size):
    return nn.Sequential(nn.Linear(size, size), {layers})
"""
IN_A_LIST = """
from torch import nn


def made(size):
    layers = [nn.Linear(size, size)]
    layers += [{layers}]
    return nn.Sequential(*layers)
"""
CONSTRUCTORS = """
from torch import nn


class made(nn.Sequential):
    def __init__(self, size):
        super().__init__(nn.Linear(size, size), {layers})
"""
NAMED = """
from torch import nn


class made(nn.Sequential):
    def __init__(self, size):
        super().__init__()
        self.add_module("linear", nn.Linear(size, size))
        for number, layer in enumerate([{layers}]):
            self.add_module(f"layer{{number}}", layer)
"""
PROGRAMS = [MAKERS, IN_A_LIST, CONSTRUCTORS, NAMED]


def _raises(text: str) -> bool:
    names: dict[str, Any] = {}
    exec(text, names)
    loss = names["made"](3)(torch.rand(2, 3)).sum()
    try:
        loss.backward()
    except RuntimeError as error:
        return "modified by an inplace operation" in str(error)
    return False


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(
    "layers",
    ["nn.Sigmoid(), nn.ReLU(inplace=True)", "nn.Tanh(), nn.Dropout(0.5, True)", "nn.ReLU(True), nn.Dropout(0.5, True)"],
)
def test_writes_to_what_the_layer_before_saved(program: str, layers: str) -> None:
    text = program.format(layers=layers)
    assert _raises(text)
    assert [(found.code, found.severity) for found in linted(text.encode(), "a.py")] == [("IPL202", "error")]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(
    "layers",
    ["nn.ReLU(inplace=True), nn.Dropout(0.5)", "nn.Sigmoid(), nn.Linear(size, size), nn.ReLU(inplace=True)"],
)
def test_silent_about_what_nothing_saved(program: str, layers: str) -> None:
    text = program.format(layers=layers)
    assert not _raises(text)
    assert not linted(text.encode(), "a.py")
