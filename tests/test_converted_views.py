"""An op that may give its operand itself gives it as it is: if its elements share memory, it cannot be written."""

from __future__ import annotations

import pytest
import torch
from linted import linted
from torch_oracle import load

MASKS = """
import torch


def mask(weight: torch.Tensor, places):
    kept = torch.ones(len(weight))[:, None].expand_as(weight).{converted}
    for place in places:
        kept[place] = torch.zeros(weight.shape[1:])
    return kept
"""


@pytest.mark.parametrize("converted", ["type_as(weight)", "to(weight.dtype)"])
def test_expanded_memory_that_was_perhaps_copied(converted: str) -> None:
    text = MASKS.format(converted=converted)
    [found] = linted(text.encode(), "masks.py")
    assert (found.code, found.severity, found.site.span.row) == ("IPL306", "warning", 8)
    assert "if `weight` is float32 already" in found.message
    mask = load(text, "masks.py")["mask"]
    assert mask(torch.ones(3, 2, dtype=torch.float64), [1]).sum() == 4
    with pytest.raises(RuntimeError, match="single memory location"):
        mask(torch.ones(3, 2), [1])


def test_expanded_memory_that_was_copied() -> None:
    assert not linted(MASKS.format(converted="clone()").encode(), "masks.py")
