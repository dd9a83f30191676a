"""Additions at positions that repeat are told where ops or names say that they do, and nowhere else."""

from __future__ import annotations

import pytest
import torch
from linted import linted

PROGRAM = """
import torch


def added(x, scores, labels, target, edge_index, index, bins):
    sums = torch.zeros(4, 4)
    sums[{index}] += 1
    return sums
"""
REPEATED = [
    "labels",
    "labels[labels != 3]",
    "labels.view(-1).long()",
    "labels, scores.argmax(dim=1)",
    "target, scores.argmax(dim=1)",
    "scores.argmax(dim=1).view(-1)",
    "edge_index[0]",
    "torch.bucketize(x, bins)",
    "torch.floor(x).long()",
    "(x / 2.0).floor().to(torch.int64)",
    "torch.randint(0, 4, (9,))",
    "torch.searchsorted(bins, x)",
    "torch.arange(9).remainder(4)",
    "0, labels",
    ":, labels",
]
APART = [
    "torch.arange(3)",
    "torch.arange(len(labels)), labels",
    "labels.unique()",
    "scores > 0",
    "torch.randperm(4)[:2]",
    "x.topk(3).indices % 4 * 0 + torch.arange(3)",
    "index",
    "scores.argmax()",
    "[0, 1]",
    "1:3",
    "2",
]


def _lost(index: str) -> bool:
    """Whether adding one after the other gives another result."""
    names: dict[str, object] = {}
    exec(PROGRAM.format(index=index), names)
    torch.manual_seed(0)
    labels, bins = torch.tensor([0, 1, 1, 3]), torch.tensor([0.1, 0.5, 0.9])
    given = {
        "x": torch.rand(9), "scores": torch.eye(4)[[0, 1, 1, 2]], "labels": labels, "target": labels[[1, 1, 2, 2]],
        "edge_index": torch.tensor([[0, 0, 1], [1, 2, 2]]), "index": torch.tensor([0, 2]), "bins": bins, "torch": torch,
    }  # fmt: skip
    added = names["added"]
    assert callable(added)
    torch.manual_seed(0)
    result = added(**{name: value for name, value in given.items() if name != "torch"})
    torch.manual_seed(0)
    once = torch.zeros(4, 4)
    positions = eval(f"take[{index}]", {**given, "take": torch.arange(16).view(4, 4)}).reshape(-1)
    for position in positions.tolist():
        once.view(-1)[position] += 1
    return not torch.equal(result, once)


@pytest.mark.parametrize("index", REPEATED)
def test_positions_that_repeat(index: str) -> None:
    assert _lost(index)
    found = linted(PROGRAM.format(index=index).encode(), "a.py")
    assert [(each.code, each.severity, each.site.span.row) for each in found] == [("IPL309", "warning", 7)]


@pytest.mark.parametrize("index", APART)
def test_positions_that_do_not(index: str) -> None:
    assert not _lost(index)
    assert not linted(PROGRAM.format(index=index).encode(), "a.py")


@pytest.mark.parametrize("op", ["=", "*=", "/="])
def test_no_addition(op: str) -> None:
    text = PROGRAM.format(index="labels").replace("+=", op)
    assert not linted(text.encode(), "a.py")


NUMBERS = [
    "for i in range(len(p)):\n        counts[p[i]] += 1",
    "for i, row in enumerate(p):\n        counts[i, row[order[i, k + 1]]] += 1",
    "for i in range(len(p)):\n        counts[i, p[i]] += 1",
]


COUNT = """
import torch
def count(scores, order, k):
    counts = torch.zeros(9, 9)
    p = scores.argmax(1)
    {body}
    return counts
"""


@pytest.mark.parametrize(("body", "codes"), [*((body, []) for body in NUMBERS), ("counts[p] += 1", ["IPL309"])])
def test_one_position_after_the_other(body: str, codes: list[str]) -> None:
    text = COUNT.format(body=body)
    assert [each.code for each in linted(text.encode(), "a.py")] == codes
