"""Objects of classes in other files: of which class they are is told by annotations, and by what the package gives."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from inplace_lint.pipeline.lint_paths import lint_paths
from inplace_lint.project.config import Config

SCHEDULE = """
class Schedule:
    def corrupt(self, x, noise):
        return x.mul_(0.5).add_(noise)
"""
DIFFUSION = """
import torch

from .schedule import Schedule


class Diffusion:
    def __init__(self, schedule: Schedule):
        self.schedule = schedule

    def loss(self, clean):
        noisy = self.schedule.corrupt(clean, torch.ones(3))
        return (noisy - clean).square().mean()
"""
TRAINING = """
import torch

from tool import Diffusion, Schedule

clean = torch.arange(3.0)
assert Diffusion(Schedule()).loss(clean) == 0 and clean[2] == 2.0
"""

MODELS = """
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))

    def scaled_by(self, scale, x):
        return (scale**3 * x).sum()


class Narrow(Model):
    pass


class Wide(Model):
    pass
"""
INNER = """
import torch


class Inner:
    def adapt(self, model, x):
        scale = model.scale.clone()
        for _ in range(2):
            loss = model.scaled_by(scale, x)
            (gradient,) = torch.autograd.grad(loss, [scale], create_graph=True)
            scale.sub_(gradient, alpha=0.1)
        return model.scaled_by(scale, x)
"""
ADAPTING = """
import torch

from tool import Inner, Narrow

try:
    Inner().adapt(Narrow(), torch.ones(3)).backward()
except RuntimeError as error:
    assert "modified by an inplace operation" in str(error)
else:
    raise AssertionError("it has to raise")
"""

CHOICES = """
from dataclasses import dataclass


@dataclass
class Choices:
    event: str = "before_backward"
"""
HANDLERS = """
class Handler:
    def before_backward(self, x):
        pass

    def after_step(self, x):
        pass


class Fills(Handler):
    def __init__(self, memory, event):
        self.memory = memory
        setattr(self, event, self.fill)

    def fill(self, x):
        self.memory.rows.data[0] = x


class Memory:
    def __init__(self, rows):
        self.rows = rows
"""
STEPS = """
import torch

from .handlers import Fills, Memory


class Steps:
    def __init__(self, choices):
        self.x = torch.ones(2, requires_grad=True)
        self.memory = Memory(torch.ones(2, 2))
        self.handlers = [Fills(self.memory, choices.event)]

    def tell(self, event, x):
        for handler in self.handlers:
            getattr(handler, event)(x)

    def run(self):
        loss = (self.memory.rows @ self.x).sum()
        self.tell("before_backward", self.x.detach() + 2)
        loss.backward()
        return self.x.grad
"""
MAIN = """
from .choices import Choices
from .steps import Steps


def main():
    return Steps(Choices()).run()


if __name__ == "__main__":
    main()
"""
CHOSEN = """
from tool.main import main

assert main().tolist() == [4.0, 4.0]  # of the memory as it was, [2.0, 2.0]
"""

REGISTRY = """
KINDS = {}


def kind(name):
    def add(cls):
        KINDS[name] = cls
        return cls

    return add


def made(name):
    from . import kinds

    return KINDS[name]()
"""
KINDS = """
import torch
from torch import nn

from .registry import kind


@kind("leaky")
class Leaky(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x, state):
        return torch.tanh(self.layer(x) + state)
"""
CARRYING = """
import torch

from .registry import made


class Carrying:
    def __init__(self):
        self.model = made("leaky")
        self.state = torch.zeros(2)

    def step(self, x):
        y = self.model(x, self.state)
        self.state[:] = y
        y.sum().backward()


def main():
    carrying = Carrying()
    carrying.step(torch.ones(2))
    carrying.step(torch.ones(2))


if __name__ == "__main__":
    main()
"""
CARRIED = """
from tool.carrying import main

try:
    main()
except RuntimeError as error:
    assert "backward through the graph a second time" in str(error)
else:
    raise AssertionError("it has to raise")
"""

PROGRAMS: dict[str, tuple[Mapping[str, str], str, set[tuple[str, str, int]]]] = {
    "an annotation names the class": (
        {"__init__": "from .diffusion import Diffusion\nfrom .schedule import Schedule\n", "schedule": SCHEDULE,
         "diffusion": DIFFUSION},
        TRAINING,
        {("IPL305", "schedule.py", 4)},
    ),
    "the package gives the class": (
        {"__init__": "from .inner import Inner\nfrom .models import Narrow, Wide\n", "models": MODELS, "inner": INNER},
        ADAPTING,
        {("IPL201", "inner.py", 11)},
    ),
    "a program that mentions no tensor brings options": (
        {"__init__": "", "choices": CHOICES, "handlers": HANDLERS, "steps": STEPS, "main": MAIN},
        CHOSEN,
        {("IPL401", "handlers.py", 16)},
    ),
    "another file fills a registry": (
        {"__init__": "", "registry": REGISTRY, "kinds": KINDS, "carrying": CARRYING},
        CARRIED,
        {("IPL204", "carrying.py", 14)},
    ),
    "the package imports what fills a registry by the name of its module": (
        {
            "__init__": "from . import kinds, carrying\n",
            "registry": REGISTRY.replace("    from . import kinds\n", ""),
            "kinds": KINDS.replace("from .registry import kind", "from . import registry").replace("@k", "@registry.k"),
            "carrying": CARRYING,
        },
        CARRIED,
        {("IPL204", "carrying.py", 14)},
    ),
}  # fmt: skip


def written(folder: Path, files: Mapping[str, str]) -> Path:
    package = folder / "tool"
    package.mkdir()
    for name, text in files.items():
        (package / f"{name}.py").write_text(text)
    return package


def found(package: Path) -> set[tuple[str, str, int]]:
    result = lint_paths([str(package)], Config())
    return {
        (each.code, Path(each.site.path).name, each.site.span.row)
        for each in result.diagnostics
        if each.severity != "info"
    }


@pytest.mark.parametrize("name", PROGRAMS)
def test_files_of_a_package_meet(name: str, tmp_path: Path) -> None:
    files, _, wanted = PROGRAMS[name]
    assert found(written(tmp_path, files)) == wanted


@pytest.mark.parametrize("name", PROGRAMS)
def test_torch_agrees(name: str, tmp_path: Path) -> None:
    files, program, _ = PROGRAMS[name]
    written(tmp_path, files)
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True)


def test_a_package_that_gives_nothing_tells_nothing(tmp_path: Path) -> None:
    files, _, _ = PROGRAMS["the package gives the class"]
    assert found(written(tmp_path, {**files, "__init__": ""})) == set()
