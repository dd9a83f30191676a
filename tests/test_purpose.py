"""Code is for data, for an optimizer or for inference by the names of its file, its packages, its class or itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint import lint_paths

_SCALED = """
import torch


def scaled(x: torch.Tensor):
    spread = x.std(0)
    spread[spread == 0] = 1
    return x / spread
"""
_LAYER = """
import torch
from torch import nn


class Scaled(nn.Module):
    def forward(self, x: torch.Tensor):
        spread = x.std(0)
        spread[spread == 0] = 1
        return x / spread
"""
_CLASS = """
import torch


class {name}:
    def {method}(self, x: torch.Tensor):
        spread = x.std(0)
        spread[spread == 0] = 1
        return x / spread
"""


def _codes(root: Path, place: str, text: str, packages: bool = True) -> list[str]:
    path = root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    if packages:
        for folder in path.relative_to(root).parents:
            if folder != Path("."):
                (root / folder / "__init__.py").touch()
    return [found.code for found in lint_paths([root]).diagnostics if found.severity != "info"]


@pytest.mark.parametrize(
    "place",
    [
        "augmentation.py",
        "_scalers.py",
        "lab/data/steps.py",
        "lab/datasets/text/steps.py",
        "lab/preprocessing/steps.py",
        "lab/optim/steps.py",
        "torch_optimizer/steps.py",
        "lab/quantization/steps.py",
        "lab/pruning.py",
        "lab/inference/steps.py",
        "lab/greedy_decoding.py",
    ],
)
def test_nobody_differentiates_there(tmp_path: Path, place: str) -> None:
    assert _codes(tmp_path, place, _SCALED) == []


@pytest.mark.parametrize(
    "place", ["steps.py", "lab/nn/steps.py", "lab/transform/steps.py", "lab/optimal.py", "vector_quantize.py"]
)
def test_elsewhere_somebody_may(tmp_path: Path, place: str) -> None:
    assert _codes(tmp_path, place, _SCALED) == ["IPL202"]


def test_folders_that_are_no_packages_are_named_by_users(tmp_path: Path) -> None:
    assert _codes(tmp_path, "data/inference/steps.py", _SCALED, packages=False) == ["IPL202"]


def test_layers_are_trained_wherever_they_stand(tmp_path: Path) -> None:
    assert _codes(tmp_path, "lab/data/steps.py", _LAYER) == ["IPL202"]


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("AudioAugmenter", "add_noise"),
        ("FeatureScaler", "fit"),
        ("DataProcess", "run"),
        ("Rescale", "__call__"),
        ("TextStreamer", "put"),
        ("Steps", "z_standardize"),
        ("Steps", "greedy_search"),
        ("Steps", "prefill"),
        ("Head", "_get_target_single"),
        ("Head", "build_cls_targets"),
        ("AdamOptimizer", "direction"),
        ("Steps", "quantize_weight"),
        ("GPTQ", "fasterquant"),
    ],
)
def test_names_of_classes_and_functions_say_so(tmp_path: Path, name: str, method: str) -> None:
    assert _codes(tmp_path, "steps.py", _CLASS.format(name=name, method=method)) == []


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("GradScaled", "fit"),
        ("Rescale", "forward"),
        ("Search", "standard"),
        ("Head", "get_target_network"),
        ("Head", "targets_of"),
        ("VectorQuantizer", "quantize"),
    ],
)
def test_other_names_do_not(tmp_path: Path, name: str, method: str) -> None:
    assert _codes(tmp_path, "steps.py", _CLASS.format(name=name, method=method)) == ["IPL202"]


@pytest.mark.parametrize("name", ["gt_boxes", "rois", "ground_truth_depth", "gt_instances.boxes"])
def test_ground_truth_is_data(tmp_path: Path, name: str) -> None:
    text = _SCALED.replace("x.std", f"{name}.std").replace("x: torch.Tensor", name.split(".")[0])
    assert _codes(tmp_path, "steps.py", text) == []


@pytest.mark.parametrize("name", ["length_boxes", "heroism", "pred_boxes"])
def test_predictions_are_not(tmp_path: Path, name: str) -> None:
    text = _SCALED.replace("x.std", f"{name}.std").replace("x: torch.Tensor", name)
    assert _codes(tmp_path, "steps.py", text) == ["IPL202"]


@pytest.mark.parametrize(
    ("base", "codes"),
    [("from abc import ABC as Root", []), ("from torch.nn import Module as Root", ["IPL202"])],
    ids=["plain", "module"],
)
def test_a_class_of_an_optimizers_package_may_derive_from_one_of_the_program(
    tmp_path: Path, base: str, codes: list[str]
) -> None:
    derived = "from pack.optim.base import Base\n" + _CLASS.format(name="Scaling(Base)", method="apply")
    assert _codes(tmp_path, "pack/optim/base.py", f"{base}\n\n\nclass Base(Root):\n    pass\n") == []
    assert _codes(tmp_path, "pack/optim/scaling.py", derived) == codes


_EMBEDDING = """
import torch
from torch import nn


class NAME(nn.Module):
    def forward(self, x):
        angles = x[:, None] * torch.arange(4)
        return torch.cat((angles.sin(), angles.cos_()), -1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = NAME()

    def forward(self, x, t):
        return x + self.embed(t)
"""


@pytest.mark.parametrize(
    ("name", "codes"),
    [("SinusoidalPosEmb", []), ("TimestepEmbedder", []), ("TimeEmbedding", []), ("FourierFeatures", ["IPL201"])],
)
def test_steps_and_positions_are_embedded(tmp_path: Path, name: str, codes: list[str]) -> None:
    assert _codes(tmp_path, "layers.py", _EMBEDDING.replace("NAME", name)) == codes


def test_a_folder_within_a_package_belongs_to_it(tmp_path: Path) -> None:
    (tmp_path / "lab" / "data").mkdir(parents=True)
    (tmp_path / "lab" / "data" / "__init__.py").touch()
    assert _codes(tmp_path, "lab/data/templates/steps.py", _SCALED, packages=False) == []
