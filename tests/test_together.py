"""Findings that another file of the project settles."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint import Config, lint_paths

_HELPER = """
import torch


def scaled(x):
    x = x - x.mean(dim=0)
    radius = torch.linalg.vector_norm(x, dim=1)
    x /= radius.unsqueeze(1)
    return x
"""

_PROGRAM = """
import torch

from shapes import scaled


def run():
    points = torch.ones(3, 2)
    weight = torch.ones(2, requires_grad=True)
    {call}
    result.sum().backward()
    return weight.grad


if __name__ == "__main__":
    run()
"""

_ON_DATA = "result = scaled(points.clone()) * weight"
_ON_RESULTS = "result = scaled(points * weight)"


def _findings(folder: Path, cache: Path | None = None) -> list[tuple[str, str, str]]:
    found = lint_paths([str(folder)], Config(), jobs=1, cache=str(cache) if cache else None)
    return [(Path(each.site.path).name, each.code, each.severity) for each in found.diagnostics]


@pytest.fixture
def helper(tmp_path: Path) -> Path:
    (tmp_path / "shapes.py").write_text(_HELPER)
    return tmp_path


def test_an_assumption_stands_alone(helper: Path) -> None:
    assert _findings(helper) == [("shapes.py", "IPL201", "warning")]


def test_a_program_settles_it(helper: Path) -> None:
    (helper / "main.py").write_text(_PROGRAM.format(call=_ON_DATA))
    assert _findings(helper) == []


def test_a_program_confirms_it(helper: Path) -> None:
    (helper / "main.py").write_text(_PROGRAM.format(call=_ON_RESULTS))
    (helper / "other.py").write_text(_PROGRAM.format(call=_ON_DATA))
    assert _findings(helper) == [("shapes.py", "IPL201", "error")]


@pytest.mark.parametrize(("old", "new"), [("run()", "test_scaled()"), (".backward()", "")])
def test_what_is_no_whole_program_settles_nothing(helper: Path, old: str, new: str) -> None:
    text = _PROGRAM.format(call=_ON_DATA).partition("if __name__")[0]
    (helper / "main.py").write_text(text.replace(old, new))
    assert _findings(helper) == [("shapes.py", "IPL201", "warning")]


def test_the_cache_knows_what_programs_ran(helper: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    cache = tmp_path_factory.mktemp("cache") / "kept"
    program = helper / "main.py"
    program.write_text(_PROGRAM.format(call=_ON_DATA))
    assert [_findings(helper, cache) for _ in range(2)] == [[], []]
    (helper / "apart.py").write_text("count = 1\n")
    assert _findings(helper, cache) == []
    program.write_text(_PROGRAM.format(call=_ON_RESULTS))
    assert _findings(helper, cache) == [("shapes.py", "IPL201", "error")]
    program.write_text("count = 1\n")
    assert _findings(helper, cache) == [("shapes.py", "IPL201", "warning")]


_OWN_INIT = """
import torch


def filled(weights):
    for row in range(weights.shape[0]):
        weights[row] = torch.randn(weights.shape[1])
    return weights
"""

_LAYER = """
import torch
from torch import nn

{import_}


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weights = nn.Parameter(torch.zeros(width, width))
        {call}(self.weights)
"""


@pytest.mark.parametrize(
    ("import_", "call"),
    [("from init import filled", "filled"), ("import init", "init.filled"), ("import init as start", "start.filled")],
)
def test_constructors_call_functions_of_other_files(tmp_path: Path, import_: str, call: str) -> None:
    (tmp_path / "init.py").write_text(_OWN_INIT)
    (tmp_path / "layer.py").write_text(_LAYER.format(import_=import_, call=call))
    assert _findings(tmp_path) == [("init.py", "IPL102", "error")]


_PART = """
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def encode(self, x):
        x += 1
        return self.linear(x)
"""

_WHOLE = """
from torch import nn

from encoders import Encoder


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()

    def forward(self, x):
        y = x.{op}()
        return self.encoder.encode(y)
"""


@pytest.mark.parametrize(("op", "found"), [("exp", [("encoders.py", "IPL202", "warning")]), ("sin", [])])
def test_methods_of_parts_that_other_files_define(tmp_path: Path, op: str, found: list[tuple[str, str, str]]) -> None:
    (tmp_path / "encoders.py").write_text(_PART)
    (tmp_path / "model.py").write_text(_WHOLE.format(op=op))
    assert _findings(tmp_path) == found
