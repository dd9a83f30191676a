"""A model that FSDP shards, on one process and the CPU: the story of its error is told all the same."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
import torch

PROGRAM = """
import sys

import torch
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        gate = torch.sigmoid(self.linear(x))
        if sys.argv[1:] != ["right"]:
            gate *= 2
        return gate * x


torch.distributed.init_process_group("gloo", init_method=f"file://{__file__}.store", rank=0, world_size=1)
"""

TRAINED = """
SHARDED
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model(torch.ones(2, 4)).sum().backward()
optimizer.step()
print("trained")
"""

SHARDED = {
    "function": 'model = Gate()\nfully_shard(model, mesh=init_device_mesh("cpu", (1,)))',
    "wrapper": 'model = FullyShardedDataParallel(Gate(), device_id=torch.device("cpu"))',
}

needs_gloo = pytest.mark.skipif(
    not torch.distributed.is_available() or not torch.distributed.is_gloo_available(), reason="needs gloo"
)


def run(folder: Path, ways: Iterable[str], *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "train.py").write_text(PROGRAM + "".join(TRAINED.replace("SHARDED", SHARDED[way]) for way in ways))
    command = [sys.executable, *arguments]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, env=environment)


@needs_gloo
def test_right_code_trains_as_ever(tmp_path: Path) -> None:
    ended = run(tmp_path, SHARDED, "-m", "inplace_lint", "run", "train.py", "right")
    assert ended.stdout == "trained\ntrained\n", ended.stderr


@needs_gloo
@pytest.mark.parametrize("way", SHARDED)
def test_run_and_explain_tell_of_a_sharded_model(way: str, tmp_path: Path) -> None:
    ended = run(tmp_path, [way], "-m", "inplace_lint", "run", "train.py")
    assert "error[IPL202]: `*=` modifies `gate`, the result that `sigmoid` saved for backward" in ended.stderr
    assert "train.py:18:13" in ended.stderr
    (tmp_path / "log.txt").write_text(ended.stderr.partition("Traceback")[2])
    told = run(tmp_path, [way], "-m", "inplace_lint", "explain", "--file", "log.txt", "train.py")
    assert "error[IPL202]" in told.stdout
    assert "[fits: the tensor is the result of Sigmoid, the same backward pass" in told.stdout
