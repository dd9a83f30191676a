"""Tensors of whole numbers require no grad, and are converted to floats by a copy."""

import pytest
from linted import linted

ASKED = """
import torch


def to_corners(boxes: torch.Tensor, inplace: bool) -> torch.Tensor:
    original, dtype = boxes, boxes.dtype
    whole = not boxes.is_floating_point()
    if whole:
        boxes = boxes.float()
    elif not inplace:
        boxes = boxes.clone()
    boxes[..., :2].sub_(boxes[..., 2:] / 2)
    if whole and inplace:
        original[:] = boxes.to(dtype)
        return original
    return boxes
"""
COUNTED = """
import torch


def histogram(colors: torch.Tensor, number: int) -> torch.Tensor:
    index = torch.zeros_like(colors) * number + colors
    counted = torch.zeros(number, dtype=torch.long).scatter_add(0, index, torch.ones_like(index))
    counted = counted.to(torch.float)
    counted /= counted.norm(dim=-1, keepdim=True)
    return counted
"""


@pytest.mark.parametrize("program", [ASKED, COUNTED], ids=["asked", "counted"])
def test_nothing_is_found(program: str) -> None:
    assert linted(program.encode(), "program.py") == ()
