"""Functions that find out whether gradients are recorded: what is assumed of tensors there informs only."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from inplace_lint.interpret.analysis.conditioned import rows_that_ask
from inplace_lint.pipeline.lint_file import lint_source
from inplace_lint.source.lower import lower

HEAD = "import torch\n\n\ndef f(x, z):\n"

ASKING = (
    "if x.requires_grad:\n        return x\n    return z",
    "y = z if any(p.requires_grad for p in x) else 0\n    return y",
    "return (x and\n        z or z.requires_grad)",
    "assert not z.requires_grad\n    return x",
    "return x * torch.is_grad_enabled()",
)
NOT_ASKING = (
    "return x.requires_grad",
    "if x:\n        z = x.requires_grad\n    return z",
    "if x:\n        z.requires_grad = True",
    "return torch.rand(3, requires_grad=x.requires_grad)",
)


@pytest.mark.parametrize(
    ("body", "asks"), [*((each, True) for each in ASKING), *((each, False) for each in NOT_ASKING)]
)
def test_what_asks_for_gradients(body: str, asks: bool) -> None:
    text = f"{HEAD}    {body}\n"
    rows = [(4, text.count("\n"))] if asks else []
    assert rows_that_ask(lower(text, "f.py")) == rows


def test_evidence_speaks_for_its_function_only() -> None:
    asking = "import torch\n\n\ndef f(x):\n    y = torch.sigmoid(x)\n    if x.requires_grad:\n        return y / 2\n"
    asking += "    return y.div_(2)\n"
    text = f"{asking}\n\ndef g(x):\n    y = torch.sigmoid(x)\n    return y.div_(2)\n"
    found = [(each.site.span.row, each.severity) for each in lint_source(text, "f.py") if each.severity != "info"]
    assert found == [(13, "warning")]


def test_a_path_knows_what_it_has_asked() -> None:
    """A predicate of the program decides who is called; there, nothing requires grad."""
    text = "import torch\n\n\ndef eligible(x):\n    return not (torch.is_grad_enabled() and x.requires_grad)\n\n\n"
    text += "def fast(x):\n    y = torch.sigmoid(x)\n    return y.mul_(2)\n\n\n"
    text += "def f(x):\n    x = x.contiguous()\n    if NOTeligible(x):\n        return fast(x)\n"
    text += "    return torch.sigmoid(x) * 2\n"
    told = {no: [each.site.span.row for each in lint_source(text.replace("NOT", no), "f.py")] for no in ("", "not ")}
    assert told == {"": [], "not ": [10]}


_OUT = """
import torch


def step(a: torch.Tensor, x: torch.Tensor):
    saved = a @ x
    product = torch.zeros(3)
    torch.matmul(a, torch.ones(3), out=product)
    x += product
    return saved


def step_of_data(a: torch.Tensor, x: torch.Tensor):
    saved = a @ x
    product = torch.zeros(3)
    torch.matmul(torch.eye(3), torch.ones(3), out=product)
    x += product
    return saved
"""


def test_an_op_with_out_tells_that_nothing_requires_grad() -> None:
    space: dict[str, Any] = {}
    exec(_OUT, space)
    a = torch.ones(3, 3, requires_grad=True)
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        space["step"](a, torch.ones(3))
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        space["step_of_data"](a, torch.ones(3)).sum().backward()
    found = [(each.code, each.site.span.row) for each in lint_source(_OUT) if each.severity != "info"]
    assert found == [("IPL201", 17)]
