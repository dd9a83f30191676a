"""What other files give a parameter: a finding does not hold if it rests on gradients that no caller's tensors have."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from inplace_lint import lint_paths
from inplace_lint.findings.given import Given, never_require_grad, told_by_calls
from inplace_lint.pipeline.session import Session
from inplace_lint.source.place import Site, Span

FN = """
import torch


def step(field, damping):
    moved = field[1:] * damping[1:]
    field[1:] = 0.5
    return moved


def run(profile, size):
    return step(torch.zeros(4), profile * size)
"""
MODEL = """
import numpy as np
import torch
from torch import nn

from fn import run, step


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.speed = nn.Parameter(torch.ones(3))
        self.profile = torch.from_numpy(np.ones(4))

    def forward(self, size, state):
        return self.speed * {call}
"""
STEPPER = """
import torch


class Stepper:
    def step(self, damping):
        field = torch.zeros(4)
        moved = field[1:] * damping[1:]
        field[1:] = 0.5
        return moved
"""
CALL = "run(self.profile, size)"


def found(folder: Path, files: Mapping[str, str], cache: str | None = None) -> list[str]:
    for name, text in files.items():
        (folder / name).write_text(text)
        os.utime(folder / name, (1e9 + len(text), 1e9 + len(text)))  # the cache keeps nothing that may be changing
    return [each.code for each in lint_paths([str(folder)], jobs=1, cache=cache).diagnostics]


def test_nobody_calls_it(tmp_path: Path) -> None:
    assert found(tmp_path, {"fn.py": FN}) == ["IPL201"]


@pytest.mark.parametrize(
    ("call", "codes"),
    [
        (CALL, []),
        ("step(torch.zeros(4), self.profile)", ["IPL201"]),  # nobody says what `run` is given
        ("run(self.profile, 2)", []),
        ("run(self.speed.detach(), size)", []),
        ("run(self.speed, size)", ["IPL201"]),
        ("run(self.profile * self.speed.sum(), size)", ["IPL201"]),
        ("run(state, 2)", ["IPL201"]),
        ("run(3, 2)", ["IPL201"]),
        ("(run(self.profile, 2) + run(self.speed, 2))", ["IPL201"]),
    ],
)
def test_what_one_caller_gives(tmp_path: Path, call: str, codes: list[str]) -> None:
    assert found(tmp_path, {"fn.py": FN, "model.py": MODEL.format(call=call)}) == codes


def test_one_caller_that_gives_a_parameter_is_enough(tmp_path: Path) -> None:
    files = {"fn.py": FN, "model.py": MODEL.format(call=CALL), "other.py": MODEL.format(call="run(self.speed, size)")}
    assert found(tmp_path, files) == ["IPL201"]


@pytest.mark.parametrize(
    ("offers", "codes"),
    [
        ("from .fn import run, step", ["IPL201"]),
        ("from .fn import *", ["IPL201"]),
        ("from .model import Model", []),
        ("from . import fn", []),
    ],
)
def test_what_a_package_offers_is_called_by_others_too(tmp_path: Path, offers: str, codes: list[str]) -> None:
    model = MODEL.format(call=CALL).replace("from fn", "from .fn")
    assert found(tmp_path, {"__init__.py": offers, "fn.py": FN, "model.py": model}) == codes


def test_the_methods_of_a_class_that_a_package_offers(tmp_path: Path) -> None:
    model = MODEL.format(call="Stepper().step(self.profile)").replace(
        "from fn import run, step", "from .fn import Stepper"
    )
    files = {"__init__.py": "from .model import Model", "fn.py": STEPPER, "model.py": model}
    assert found(tmp_path, files) == []
    assert found(tmp_path, {"__init__.py": "from .fn import Stepper"}) == ["IPL201"]


def test_with_a_cache_and_moved_rows(tmp_path: Path) -> None:
    quiet, loud = MODEL.format(call=CALL), MODEL.format(call="run(self.speed, size)")
    project, cache = tmp_path / "project", str(tmp_path / "cache")
    project.mkdir()
    for files, codes in (
        ({"fn.py": FN, "model.py": quiet}, []),
        ({"fn.py": f"# moved\n\n{FN}"}, []),
        ({"model.py": f"# moved\n{loud}"}, ["IPL201"]),
        ({"fn.py": FN}, ["IPL201"]),
        ({"model.py": f"# moved\n\n{quiet}"}, []),
    ):
        assert found(project, files, cache) == codes, files
        assert found(project, {}, cache) == codes, files
        assert found(project, {}) == codes, files


def test_in_an_editor(tmp_path: Path) -> None:
    found(tmp_path, {"fn.py": FN, "model.py": MODEL.format(call=CALL)})
    session = Session([str(tmp_path)], {})
    fn, model = str(tmp_path / "fn.py"), str(tmp_path / "model.py")
    assert len(session.check(fn, {}).found[fn]) == 1
    assert session.check(model, {}).found[fn] == ()
    assert len(session.check(model, {model: MODEL.format(call="run(self.speed, size)")}).found[fn]) == 1


def test_parameters_that_are_handed_on() -> None:
    a, b, c, d = (Site("m.py", Span(row, 1, row, 2)) for row in range(1, 5))
    given: list[Given] = [(a, frozenset()), (b, frozenset({a})), (c, frozenset({b, d})), (b, frozenset())]
    assert told_by_calls(given) == {a: True, b: True, c: False}
    assert told_by_calls([*given, (a, None)]) == {a: False, b: False, c: False}
    told = told_by_calls(given)
    assert never_require_grad([a, b, d], told)
    assert not never_require_grad([a, c], told)
    assert not never_require_grad([d], told)
    assert told_by_calls([(a, frozenset({b})), (b, frozenset({a}))]) == {a: False, b: False}
