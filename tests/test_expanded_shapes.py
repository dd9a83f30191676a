"""What `expand` gives is refused by in-place ops if it repeats elements: surely, or if the new shape is larger."""

from __future__ import annotations

import pytest
import torch
from linted import linted

PROGRAM = """
import torch


def changed(x, y, shape, mask):
    w = {expanded}
    w.mul_(2)
    return w
"""
SURELY = [
    "torch.zeros(1).expand_as(x)",
    "torch.zeros(1).expand(shape)",
    "x.sum().expand_as(x)",
    "x.mean(0, keepdim=True).expand_as(x)",
    "mask.unsqueeze(-1).expand(-1, x.size(1))",
    "torch.eye(3)[None].expand(x.shape[0], 3, 3)",
]
PERHAPS = [
    "y.expand_as(x)",
    "torch.arange(3.0).expand_as(x)",
    "x.mean(0).expand_as(x)",
]
FINE = [
    "y.expand_as(x).clone()",
    "torch.zeros(3, 3).expand(3, 3)",
    "torch.zeros(2).expand(2)",
    "x.expand(-1, -1)",
    "(x * 2).expand_as(x)",
    "(x + 1).expand(x.shape)",
]
FINDING = {"error": SURELY, "warning": PERHAPS}


def _changed(expanded: str) -> torch.Tensor:
    names: dict[str, object] = {}
    exec(PROGRAM.format(expanded=expanded), names)
    changed = names["changed"]
    assert callable(changed)
    result = changed(torch.rand(2, 3), torch.rand(3), torch.Size((2, 3)), torch.rand(2))
    assert isinstance(result, torch.Tensor)
    return result


@pytest.mark.parametrize(("severity", "expanded"), [(kind, each) for kind, every in FINDING.items() for each in every])
def test_writes_to_repeated_elements(severity: str, expanded: str) -> None:
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        _changed(expanded)
    found = linted(PROGRAM.format(expanded=expanded).encode(), "a.py")
    assert [(each.code, each.severity) for each in found] == [("IPL104", severity)]
    assert ("if `x` is larger than" in found[0].message) == (severity == "warning")


@pytest.mark.parametrize("expanded", FINE)
def test_writes_to_what_does_not_repeat(expanded: str) -> None:
    _changed(expanded)
    assert not linted(PROGRAM.format(expanded=expanded).encode(), "a.py")
