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
