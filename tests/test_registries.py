"""Registries across files: the model of one file is made of layers of another one, which have told the registry."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from inplace_lint.pipeline.lint_paths import lint_paths
from inplace_lint.project.config import Config

TOLD_OF_CLASSES = """
from torch import nn

class Layer(nn.Module):
    kinds = {}

    def __init_subclass__(cls, kind=None, **options):
        super().__init_subclass__(**options)
        if kind:
            cls.kinds[kind] = cls

    @classmethod
    def build(cls, kind, width):
        return cls.kinds[kind](width)
"""
CLASS_WITH_DECORATOR = """
class Layer:
    kinds = {}

    @classmethod
    def register(cls, kind):
        def put(made):
            cls.kinds[kind] = made
            return made

        return put

    @classmethod
    def build(cls, kind, width):
        return cls.kinds[kind](width)
"""
FUNCTIONS = """
KINDS = {}

def register(kind):
    def put(made):
        KINDS[kind] = made
        return made

    return put

def build(kind, width):
    return KINDS[kind](width)
"""
LAYERS = """
import torch
from torch import nn

from .base import {imported}

{mean}
    def __init__(self, width):
        super().__init__()
        self.lin = nn.Linear(width, width)

    def forward(self, h):
        return torch.tanh(self.lin(h))

{added}
    def __init__(self, width):
        super().__init__()
        self.shift = nn.Parameter(torch.ones(width))

    def forward(self, h):
        return h.{add}(self.shift)
"""
MODEL = """
import torch
from torch import nn
{beside}
from .base import {imported}

class Net(nn.Module):
    def __init__(self, kind, width=4):
        super().__init__()
        self.enter = nn.Linear(width, width)
        self.layers = nn.ModuleList({build}(kind, width) for _ in range(3))

    def forward(self, x):
        h = self.enter(x)
        kept = [h]
        for layer in self.layers:
            h = layer(h)
            kept.append(h)
        return torch.cat(kept, -1)
"""
USE = """
import torch
from net.model import Net

width = 4
model = Net("added")
kept = model(torch.zeros(2, width)).detach()
enter = model.enter.bias.detach()
assert torch.equal(kept[0, :width], enter) == {right}, kept
"""

FORMS = {
    "told of classes": (TOLD_OF_CLASSES, "Layer", "Layer", 'class {name}(Layer, kind="{kind}"):', "Layer.build"),
    "a class decorates": (
        CLASS_WITH_DECORATOR, "Layer", "Layer", '@Layer.register("{kind}")\nclass {name}(nn.Module):', "Layer.build",
    ),
    "a function decorates": (
        FUNCTIONS, "register", "build", '@register("{kind}")\nclass {name}(nn.Module):', "build",
    ),
}  # fmt: skip


def _written(folder: Path, form: str, add: str, beside: bool) -> None:
    base, of_layers, of_model, head, build = FORMS[form]
    made = {
        "base": base,
        "layers": LAYERS.format(
            imported=of_layers,
            mean=head.format(name="Mean", kind="mean"),
            added=head.format(name="Added", kind="added"),
            add=add,
        ),
        "model": MODEL.format(imported=of_model, build=build, beside="from . import layers" if beside else ""),
        "__init__": "" if beside else "from . import layers, model\n",
    }
    (folder / "net").mkdir()
    for name, text in made.items():
        (folder / "net" / f"{name}.py").write_text(text)


@pytest.mark.parametrize("beside", [True, False], ids=["imported beside", "imported by the package"])
@pytest.mark.parametrize("form", FORMS)
def test_a_layer_of_a_registry_changes_what_the_model_has_kept(tmp_path: Path, form: str, beside: bool) -> None:
    _written(tmp_path, form, "add_", beside)
    found = lint_paths([str(tmp_path)], Config(), jobs=1).diagnostics
    places = [(each.code, Path(each.site.path).name) for each in found if each.severity != "info"]
    assert places == [("IPL304", "layers.py")]
    _run(tmp_path, right=False)


@pytest.mark.parametrize("form", FORMS)
def test_a_layer_of_a_registry_makes_something_new(tmp_path: Path, form: str) -> None:
    _written(tmp_path, form, "add", True)
    found = lint_paths([str(tmp_path)], Config(), jobs=1).diagnostics
    assert [each for each in found if each.severity != "info"] == []
    _run(tmp_path, right=True)


def _run(folder: Path, right: bool) -> None:
    (folder / "use.py").write_text(USE.format(right=right))
    subprocess.run([sys.executable, "use.py"], cwd=folder, check=True)
