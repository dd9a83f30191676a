"""Names by the module that defines something: PyTorch's packages offer it under another one."""

import importlib
import inspect
import operator

import pytest

import inplace_lint
from inplace_lint.torch_model.public_names import OFFERED_BY, public_name


@pytest.mark.parametrize(("module", "package"), OFFERED_BY.items())
def test_the_public_name_is_the_same_thing(module: str, package: str) -> None:
    defining, offering = importlib.import_module(module), importlib.import_module(package)
    offered = [name for name in dir(defining) if not name.startswith("_") and hasattr(offering, name)]
    same = [name for name in offered if name != "torch" and getattr(defining, name) is getattr(offering, name)]
    assert same
    classes = [name for name in offered if inspect.isclass(getattr(defining, name))]
    assert [name for name in classes if name not in same] == []
    assert {public_name(f"{module}.{name}") for name in same} == {f"{package}.{name}" for name in same}


def test_torch_is_found_in_its_modules() -> None:
    torch = importlib.import_module("torch")
    for name in ("torch.torch", "torch.nn.functional.torch"):
        assert operator.attrgetter(name.partition(".")[2])(torch) is torch
        assert public_name(name) == "torch"
    text = "import torch\nx = torch.rand(3, requires_grad=True)\nif isinstance(x, torch.torch.Tensor):\n    x.add_(1)\n"
    assert [found.code for found in inplace_lint.lint_source(text, "net.py")] == ["IPL101"]


def test_other_names_stay() -> None:
    for name in ("torch.nn.modules.conv._ConvNd", "torch.optim.lr_scheduler.StepLR", "torch.nn.functional.relu"):
        assert public_name(name) == name


@pytest.mark.parametrize(
    ("imported", "layer"),
    [
        ("from torch.nn.modules.activation import ReLU", "ReLU(inplace=True)"),
        ("from torch.nn.modules import ReLU", "ReLU(inplace=True)"),
        ("import torch.nn.modules as layers", "layers.ReLU(inplace=True)"),
        ("import torch.nn.modules.activation", "torch.nn.modules.activation.ReLU(inplace=True)"),
    ],
)
def test_a_layer_is_known_by_any_of_its_names(imported: str, layer: str) -> None:
    text = f"""
import torch
from torch.nn.modules.module import Module
{imported}


class Net(Module):
    def __init__(self):
        super().__init__()
        self.act = {layer}

    def forward(self, x):
        return self.act(torch.sigmoid(x))
"""
    assert [found.code for found in inplace_lint.lint_source(text, "net.py")] == ["IPL202"]
