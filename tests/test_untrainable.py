"""Parameters on memory that their elements share: a step that is out of view raises, and what makes them is told."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from inplace_lint.pipeline.lint_file import lint_source

_MODULE = """
import torch
from torch import nn


class Heads(nn.Module):
    def __init__(self, heads: int = DEFAULT, dim: int = 3):
        super().__init__()
        rows = [torch.randn(dim), torch.randn(dim)]
MADE

    def forward(self, x):
        return sum((x * weight).sum() for weight in self.parameters())
"""

_SHARED = {
    "one": "        self.weight = nn.Parameter(rows[0].unsqueeze(0).expand(heads, dim))",
    "registered": "        self.register_parameter('weight', nn.Parameter(rows[0].expand(heads, dim)))",
    "unknown shape": "        self.weight = nn.Parameter(rows[0].expand(heads, *rows[0].shape))",
    "like another": "        self.weight = nn.Parameter(rows[0].expand_as(torch.empty(heads, dim)))",
    "broadcast": "        self.weight = nn.Parameter(torch.broadcast_to(rows[0], (heads, dim)))",
    "several": """
        rows = [row.expand(heads, *row.shape) for row in rows]
        self.weights = nn.ParameterList([nn.Parameter(row) for row in rows])""",
}

_OWN = {
    "clone": "        self.weight = nn.Parameter(rows[0].expand(heads, dim).clone())",
    "repeat": "        self.weight = nn.Parameter(rows[0].repeat(heads, 1))",
    "contiguous": "        self.weight = nn.Parameter(rows[0].expand(heads, dim).contiguous())",
    "not larger": "        self.weight = nn.Parameter(rows[0].unsqueeze(0).expand(1, -1))",
    "computed": "        self.weight = nn.Parameter(rows[0].expand(heads, dim) * 0.1)",
    "frozen": "        self.weight = nn.Parameter(rows[0].expand(heads, dim), requires_grad=False)",
    "frozen later": """
        self.weight = nn.Parameter(rows[0].expand(heads, dim))
        self.weight.requires_grad_(False)""",
    "expanded for use": """
        self.weight = nn.Parameter(rows[0])
        self.shown = self.weight.expand(heads, dim) * 2""",
}


def _program(made: str, default: int) -> str:
    return _MODULE.replace("MADE", made).replace("DEFAULT", str(default))


def _raises(text: str, default: int) -> bool:
    names: dict[str, Any] = {}
    exec(text, names)
    model = names["Heads"](max(default, 2))
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    if not trained:
        return False
    optimizer = torch.optim.Adam(trained, lr=0.1)
    model(torch.ones(3)).backward()
    try:
        optimizer.step()
    except RuntimeError as error:
        return "single memory location" in str(error)
    return False


@pytest.mark.parametrize(("name", "default"), [*((name, 4) for name in _SHARED), ("one", 1), ("several", 1)])
def test_told_where_it_is_made(name: str, default: int) -> None:
    text = _program(_SHARED[name], default)
    assert _raises(text, default)
    (found,) = lint_source(text)
    assert (found.code, found.severity) == ("IPL104", "warning")
    assert "nn.Parameter(" in text.splitlines()[found.site.span.row - 1]


@pytest.mark.parametrize("name", _OWN)
def test_no_word_on_memory_of_its_own(name: str) -> None:
    text = _program(_OWN[name], 4)
    assert not _raises(text, 4)
    assert not lint_source(text)


def test_a_step_in_view_is_told_once() -> None:
    text = _program(_SHARED["one"], 4) + (
        "\n\ndef fit(x):\n    model = Heads()\n    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "    model(x).backward()\n    optimizer.step()\n"
    )
    found = [each for each in lint_source(text) if each.severity == "error"]
    assert [each.code for each in found] == ["IPL104"]
