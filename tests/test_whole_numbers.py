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


MASKED = """
import torch
from torch import nn


def average(rows, mask):
    count = mask.sum(dim=1).view(-1, 1).float().sqrt()
    count[count < 1] = 1
    return rows.sum(1) / count


class Encoder(nn.Module):
    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder

    def forward(self, tokens):
        encoded, NAME = self.encoder(tokens)
        return average(encoded, NAME)
"""


@pytest.mark.parametrize(("name", "codes"), [("pad_mask", []), ("weights", ["IPL202"])])
def test_what_a_module_gives_beside_its_result_is_a_mask_by_its_name(name: str, codes: list[str]) -> None:
    program = MASKED.replace("NAME", name).replace("mask", "weights" if name == "weights" else "mask")
    assert [found.code for found in linted(program.encode(), "program.py")] == codes


COMPARED = """
import torch


class Model(torch.nn.Module):
    def encode(self, image):
        hidden = self.visual.norm(self.visual(image)) @ self.visual.projection
        return hidden[:, 0, :]


class Compared:
    def __init__(self):
        self.model = Model()

    def similar(self, image, text):
        with MODE():
            features = self.model.encode(image)
            features /= features.norm(dim=-1, keepdim=True)
        return features @ text.T
"""


@pytest.mark.parametrize(("mode", "codes"), [("torch.no_grad", []), ("torch.enable_grad", ["IPL201"])])
def test_nothing_computed_without_gradients_requires_one(mode: str, codes: list[str]) -> None:
    program = COMPARED.replace("MODE", mode)
    assert [found.code for found in linted(program.encode(), "program.py") if found.severity != "info"] == codes


OF_NO_CLASS = """
import torch


def halves(self):
    first, second = self.clone().split(2)
    first.mul_(2)
    return first, second
"""


@pytest.mark.parametrize(("self", "codes"), [("self", []), ("self: torch.Tensor", ["IPL103"])])
def test_self_of_a_function_is_an_object_of_its_own_class(self: str, codes: list[str]) -> None:
    program = OF_NO_CLASS.replace("(self)", f"({self})")
    assert [found.code for found in linted(program.encode(), "program.py")] == codes
