"""What a file passes where it makes objects of a class, of which no object is used in view."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint import lint_paths, lint_source

CLASS = """
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, size, activation, *, other=None):
        super().__init__()
        self.activation = getattr(nn, activation)()

    def forward(self, x):
        return self.activation(x).mul_(2)
"""


@pytest.mark.parametrize(
    ("made", "found"),
    [
        ("def small():\n    return Block(3, 'Tanh')", ["IPL202"]),
        ("def small():\n    return Block(activation='Tanh', size=3)", ["IPL202"]),
        ("def small():\n    return Block(3, 'GELU')", []),
        ("def small(size):\n    return Block(*size, 'Tanh')", []),
        ("def small():\n    return Block('Tanh', others)", []),
        ("def small(name):\n    return Block(3, name)", []),
    ],
)
def test_texts_that_are_passed(made: str, found: list[str]) -> None:
    assert [each.code for each in lint_source(f"{CLASS}\n\n{made}\n")] == found


def test_a_class_method_of_the_class(tmp_path: Path) -> None:
    text = f"{CLASS}\n    @classmethod\n    def small(cls):\n        return cls(3, 'Tanh')\n"
    assert [each.code for each in lint_source(text)] == ["IPL202"]
    (tmp_path / "blocks.py").write_text(text)
    below = (
        "from blocks import Block\n\n\nclass Other(Block):\n    def twice(self, x):\n        return self(x).add_(1)\n"
    )
    (tmp_path / "below.py").write_text(below)
    cache = str(tmp_path / "cache")
    for _ in range(2):
        result = lint_paths([str(tmp_path)], cache=cache)
        assert {(each.code, Path(each.site.path).name) for each in result.diagnostics} == {("IPL202", "blocks.py")}
    (tmp_path / "blocks.py").write_text(text.replace("Tanh", "GELU"))
    assert not lint_paths([str(tmp_path)], cache=cache).diagnostics


NET = """
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, size=3):
        super().__init__()
        self.lin = nn.Linear(size, size)

    def forward(self, x):
        return torch.tanh(self.lin(x))


class Net(nn.Module):
    def __init__(self, {param}):
        super().__init__()
        self.first = {first}

    def forward(self, x):
        y = self.first(x)
        y.mul_(2)
        return y
"""


@pytest.mark.parametrize(
    ("param", "first", "made", "found"),
    [
        ("kind", "kind(3)", "def small():\n    return Net(Block)", ["IPL202"]),
        ("kind", "kind(3)", "def small():\n    return Net(kind=Block)", ["IPL202"]),
        ("kind", "kind(3)", "def small():\n    kind = Block\n    return Net(kind)", ["IPL202"]),
        ("kind", "kind()", "def small():\n    return Net(nn.Tanh)", ["IPL202"]),
        ("kind", "kind()", "def small():\n    return Net(nn.GELU)", []),
        ("kind", "kind(3)", "def small(kind):\n    return Net(kind)", []),
        ("kind", "kind(3)", "def small(Block):\n    return Net(Block)", []),
        ("inner", "inner", "def small():\n    return Net(Block(4))", ["IPL202"]),
        ("inner", "inner", "def small(size):\n    arn = Block(size)\n    return Net(arn)", ["IPL202"]),
        ("inner", "inner", "def small(size, arn=None):\n    arn = Block(size)\n    return Net(arn)", []),
        ("inner", "inner", "def small(size):\n    return Net(made(size))", []),
    ],
)
def test_classes_and_objects_that_are_passed(param: str, first: str, made: str, found: list[str]) -> None:
    text = NET.format(param=param, first=first)
    assert [each.code for each in lint_source(f"{text}\n\n{made}\n")] == found


def test_what_is_passed_writes(tmp_path: Path) -> None:
    block = "from torch import nn\n\n\nclass Block(nn.Module):\n    def forward(self, x):\n        return x.add_(1)\n"
    net = NET.format(param="inner", first="inner").replace("self.first(x)", "self.first(torch.sigmoid(x))")
    own = net[net.index("class Net") :].replace("y.mul_(2)", "y = y * 2")
    made = "\n\ndef small():\n    return Net(Block())\n"
    (tmp_path / "block.py").write_text(block)
    (tmp_path / "net.py").write_text(f"import torch\nfrom torch import nn\n\nfrom block import Block\n\n\n{own}{made}")
    cache = str(tmp_path / "cache")
    for _ in range(2):
        found = lint_paths([str(tmp_path)], cache=cache).diagnostics
        assert [(each.code, Path(each.site.path).name) for each in found] == [("IPL202", "block.py")]
    (tmp_path / "block.py").write_text(block.replace("add_", "add"))
    assert not lint_paths([str(tmp_path)], cache=cache).diagnostics
