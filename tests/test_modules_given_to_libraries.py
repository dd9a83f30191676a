"""Modules that write their input, made here and used by a library: what they break is told where they are made."""

from pathlib import Path

import pytest
from installed_programs import found, install, result

pytest.importorskip("torch")

BLOCKS = '''
from torch import nn


class Block(nn.Module):
    """Adds what a line makes of the activated input."""

    def __init__(self, act, norm=None):
        super().__init__()
        self.act, self.norm, self.line = act, norm, nn.Linear(3, 3)

    def forward(self, x):
        h = x
        if self.norm is not None:
            h = self.norm(h)
        h = self.act(h)
        return x + self.line(h)
'''
PROGRAM = """
import torch
from blocks import Block
from torch import nn

MADE = {
    "relu": lambda: ACT,
}


def main():
    torch.manual_seed(0)
    block = Block(MADE["relu"](), NORM)
    return block(torch.randn(4, 3)).detach()
"""


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return install(tmp_path / "env", {"blocks.py": BLOCKS})


def _program(act: str, norm: str = "None") -> str:
    return PROGRAM.replace("ACT", act).replace("NORM", norm)


def test_what_the_library_reads_again(environment: Path) -> None:
    wrong, cured = _program("nn.ReLU(inplace=True)"), _program("nn.ReLU()")
    assert found(wrong, environment) == [("IPL303", 7, "main.py")]
    assert found(cured, environment) == []
    assert not result(wrong, environment).equal(result(cured, environment))


def test_what_the_library_has_made_itself(environment: Path) -> None:
    kept, apart = (_program(act, "nn.LayerNorm(3)") for act in ("nn.ReLU(inplace=True)", "nn.ReLU()"))
    assert found(kept, environment) == []
    assert result(kept, environment).equal(result(apart, environment))
