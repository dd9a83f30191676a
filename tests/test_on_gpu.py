"""Kernels for GPUs save more than those for CPUs: what breaks only there is reported with that condition."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from linted import linted

PROGRAM = """
import torch
from torch import nn


def run(device):
    layer = {layer}.to(device)
    x, state = torch.rand(5, 2, 3, device=device), torch.rand(2, 3, device=device, requires_grad=True)
    {statements}
    result.sum().backward()
"""
# A layer, and what is done with it.
ONLY_THERE = [
    ("nn.GRU(3, 3)", "result, h = layer(x); result.mul_(2)"),
    ("nn.GRU(3, 3, bidirectional=True)", "result, h = layer(x); result.add_(1)"),
    ("nn.RNN(3, 3)", "result, h = layer(x); result += x"),
    ("nn.LSTM(3, 3, bidirectional=True)", "result, (h, c) = layer(x); result *= 2"),
    ("nn.GRU(3, 3).requires_grad_(False)", "given = state[None] * 1; result, h = layer(x, given); given.add_(1)"),
    ("nn.LSTMCell(3, 3)", "h, c = layer(state); c.mul_(2); result = h"),
    ("nn.GRUCell(3, 3).requires_grad_(False)", "h = state * 1; result = layer(x[0], h); h.add_(1)"),
]
NOWHERE = [
    ("nn.GRU(3, 3)", "result, h = layer(x); result = result * 2"),
    ("nn.GRU(3, 3)", "out, result = layer(x); result.mul_(2)"),
    ("nn.LSTM(3, 3)", "out, (h, result) = layer(x); result.mul_(2)"),
    ("nn.LSTMCell(3, 3)", "result, c = layer(state); result.mul_(2)"),
    ("nn.GRUCell(3, 3)", "result = layer(x[0], state); result.mul_(2)"),
    ("nn.LayerNorm(3)", "result = layer(state); result.mul_(2)"),
    ("nn.RMSNorm(3)", "result = layer(state); result.mul_(2)"),
    ("nn.Dropout(0.5)", "result = layer(state); result.mul_(2)"),
    ("nn.BatchNorm1d(3)", "result = layer(state); result.mul_(2)"),
    ("nn.Linear(3, 3)", "result = layer(x); x.requires_grad; result.relu_()"),
]
on_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


def _text(program: tuple[str, str]) -> str:
    return PROGRAM.format(layer=program[0], statements=program[1].replace("; ", "\n    "))


def _complaint(program: tuple[str, str], device: str) -> str:
    names: dict[str, Any] = {}
    exec(_text(program), names)
    try:
        names["run"](device)
    except RuntimeError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("program", ONLY_THERE)
def test_what_breaks_on_a_gpu_alone_is_reported_so(program: tuple[str, str]) -> None:
    [found] = linted(_text(program).encode(), "program.py")
    assert (found.severity, found.code[:4]) == ("warning", "IPL2")
    assert found.message.endswith(" if this runs on a GPU")


@pytest.mark.parametrize("program", NOWHERE)
def test_what_breaks_nowhere_is_silent(program: tuple[str, str]) -> None:
    assert linted(_text(program).encode(), "program.py") == ()


@pytest.mark.parametrize("program", [*ONLY_THERE, *NOWHERE])
def test_none_breaks_on_a_cpu(program: tuple[str, str]) -> None:
    assert _complaint(program, "cpu") == ""


@on_gpu
@pytest.mark.parametrize("program", ONLY_THERE)
def test_it_breaks_on_a_gpu(program: tuple[str, str]) -> None:
    assert "has been modified by an inplace operation" in _complaint(program, "cuda")


@on_gpu
@pytest.mark.parametrize("program", NOWHERE)
def test_the_rest_does_not(program: tuple[str, str]) -> None:
    assert _complaint(program, "cuda") == ""
