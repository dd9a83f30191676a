"""Properties of libraries that declare a tensor: they give one, though the call that made it was not understood."""

from pathlib import Path

import pytest
from installed_programs import found, install, result

pytest.importorskip("torch")

WARPS = '''
from typing import Optional

import torch
from torch import nn


class Warp(nn.Module):
    """Shifts rows, and tells by how much."""

    _matrix: Optional[torch.Tensor] = None

    @property
    def matrix(self) -> Optional[torch.Tensor]:
        return self._matrix

    @property
    def name(self) -> Optional[str]:
        return None

    def forward(self, x):
        exec("self._matrix = torch.eye(3) * 2")
        return x * 2
'''
PROGRAM = """
import torch
from warps import Warp


def at_stride(matrix, stride):
    LINE
    return matrix[:, :2]


class Views:
    def __init__(self):
        self.view = Warp()

    def undone(self, x):
        return x @ torch.linalg.inv(self.view.matrix)

    def run(self, x):
        y = self.view(x)
        small = at_stride(self.view.matrix, 2)
        AGAIN
        return self.undone(y), small


def main():
    return Views().run(torch.ones(2, 3))
"""
WRITING, COPYING = "matrix[:, :2] /= stride", "matrix = matrix / stride"


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return install(tmp_path / "env", {"warps.py": WARPS})


def _program(line: str, again: str = "pass") -> str:
    return PROGRAM.replace("LINE", line).replace("AGAIN", again)


def test_what_a_property_gives_is_a_tensor_that_the_object_keeps(environment: Path) -> None:
    wrong, cured = _program(WRITING), _program(COPYING)
    assert found(wrong, environment) == [("IPL305", 7, "main.py")]
    assert found(cured, environment) == []
    assert not result(wrong, environment)[0].equal(result(cured, environment)[0])


def test_the_next_call_makes_another_one(environment: Path) -> None:
    again = "self.view(x)"
    assert found(_program(WRITING, again), environment) == []
    assert result(_program(WRITING, again), environment)[0].equal(result(_program(COPYING, again), environment)[0])


def test_what_is_no_tensor_is_none(environment: Path) -> None:
    text = _program(COPYING, "assert self.view.name is None")
    assert found(text, environment) == []
