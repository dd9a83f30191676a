"""Callers that pass an argument say nothing about what happens to callers that do not."""

from __future__ import annotations

import pytest
import torch
from linted import linted

SPHERE = """
import torch


class Sphere:
    def inner(self, x, u, v=None):
        if v is None:
            v = u
        return v.mul_(u).sum(-1)

    def dist(self, x, y):
        return torch.acos(self.inner(x, x, y))
"""
WITH_A_BRANCH = """
import torch


class Stiefel:
    def inner(self, x, u, v=None):
        xu = x.T @ u
        if v is None:
            xv = xu
            v = u
        else:
            xv = x.T @ v
        return (u * v).sum() - xu.mul_(xv).sum()

    def dist(self, x, y):
        return self.inner(x, x, y).sqrt()
"""
CALLED_SO = (
    SPHERE
    + """

def lengths():
    x = torch.ones(2, 3)
    return Sphere().inner(x, x + 1)


lengths()
"""
)


@pytest.mark.parametrize("text", [SPHERE, WITH_A_BRANCH])
def test_other_callers_do_not_refute(text: str) -> None:
    names: dict[str, type] = {}
    exec(text, names)
    x, u = torch.rand(3, 3), torch.rand(3, 3, requires_grad=True)
    made = names["Sphere" if "Sphere" in names else "Stiefel"]().inner(x, u * 1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        made.sum().backward()
    assert [(found.code, found.severity) for found in linted(text.encode(), "a.py")] == [("IPL201", "warning")]


def test_who_passes_nothing_either_refutes() -> None:
    # What `dist` is given changes all the same.
    assert [found.code for found in linted(CALLED_SO.encode(), "a.py")] == ["IPL305"]
