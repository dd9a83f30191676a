"""What the shipped rows say of a package's functions is what these do, where the package is installed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from called_back import fits, made, raises

import inplace_lint.torch_model
from inplace_lint.project.models import read_model
from inplace_lint.torch_model.op_table import read_row

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(inplace_lint.torch_model.__file__).with_name("packages")
PACKAGES = sorted(each.stem for each in FOLDER.glob("*.toml"))


def rows(package: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / f"{package}.toml").read_text("utf-8"))


@pytest.mark.parametrize("package", PACKAGES)
def test_shipped_rows_are_models_of_their_package(package: str) -> None:
    read_model(str(FOLDER / f"{package}.toml"))
    document = rows(package)
    told = [*document.get("ops", ()), *document.get("modules", ())]
    assert told
    assert all(name.startswith(f"{package}.") for name in told)


def test_the_documentation_names_what_is_shipped() -> None:
    places = FOLDER.with_name("programs").glob("*/")
    stubs = sorted(each.name for each in places if each.is_dir() and each.name not in ("torch", "__pycache__"))
    text = Path(__file__).parent.parent.joinpath("docs", "configuration.md").read_text("utf-8")
    for names, place in ((PACKAGES, "packages"), (stubs, "programs")):
        listed = ", ".join(f"`{name}`" for name in names)
        assert f"`inplace_lint/torch_model/{place}/` | {listed} |" in text


def _tensor(*sizes: int) -> Any:
    return import_module("torch").rand(*sizes) + 0.1


def _filtered(frequency: str) -> Mapping[str, object]:
    scalar = import_module("torch").tensor
    return {"waveform": _tensor(1, 8), "sample_rate": 16000, frequency: scalar(440.0), "Q": scalar(0.7)}


def _attention() -> Any:
    """What the attention of a model asks its module for."""
    module = import_module("torch").nn.Module()
    module.num_key_value_groups = 1
    return module


# Arguments for the functions that random tensors of any shape do not fit.
CALLS: dict[str, Callable[[], Mapping[str, object]]] = {
    "ultralytics.utils.ops.clip_boxes": lambda: {"boxes": _tensor(3, 4), "shape": (1, 1)},
    "ultralytics.utils.ops.scale_boxes": lambda: {
        "img1_shape": (4, 4),
        "boxes": _tensor(3, 4),
        "img0_shape": (8, 8),
    },
    "ultralytics.utils.ops.clip_coords": lambda: {"coords": _tensor(3, 2), "shape": (1, 1)},
    "ultralytics.utils.ops.scale_coords": lambda: {
        "img1_shape": (4, 4),
        "coords": _tensor(3, 2),
        "img0_shape": (8, 8),
    },
    "ultralytics.utils.ops.xyxy2xywhn": lambda: {"x": _tensor(3, 4)},
    "torchvision.transforms.functional.normalize": lambda: {"tensor": _tensor(3, 4, 4), "mean": [0.5], "std": [2.0]},
    "torchvision.transforms.v2.functional.normalize": lambda: {
        "inpt": _tensor(1, 4, 4),
        "mean": [0.5],
        "std": [2.0],
    },
    "torchvision.transforms.functional.erase": lambda: {
        "img": _tensor(3, 4, 4),
        "i": 0,
        "j": 0,
        "h": 2,
        "w": 2,
        "v": _tensor(1),
    },
    "torchvision.transforms.v2.functional.erase": lambda: {
        "inpt": _tensor(3, 4, 4),
        "i": 0,
        "j": 0,
        "h": 2,
        "w": 2,
        "v": _tensor(1),
    },
    "torchvision.transforms.functional.crop": lambda: {
        "img": _tensor(3, 4, 4),
        "top": 0,
        "left": 0,
        "height": 2,
        "width": 2,
    },
    "torchvision.transforms.functional.center_crop": lambda: {"img": _tensor(3, 4, 4), "output_size": [2, 2]},
    "torchvision.ops.stochastic_depth": lambda: {"input": _tensor(3, 4), "p": 0.0, "mode": "batch"},
    "torchvision.ops.sigmoid_focal_loss": lambda: {"inputs": _tensor(3, 4), "targets": _tensor(3, 4).round()},
    "torchaudio.functional.add_noise": lambda: {"waveform": _tensor(2, 8), "noise": _tensor(2, 8), "snr": _tensor(2)},
    "torchaudio.functional.apply_beamforming": lambda: {
        "beamform_weights": _tensor(5, 2).cfloat(),
        "specgram": _tensor(2, 5, 8).cfloat(),
    },
    "torchaudio.functional.allpass_biquad": lambda: _filtered("central_freq"),
    "torchaudio.functional.bandreject_biquad": lambda: _filtered("central_freq"),
    "torchaudio.functional.highpass_biquad": lambda: _filtered("cutoff_freq"),
    "torchaudio.functional.lowpass_biquad": lambda: _filtered("cutoff_freq"),
    "torchaudio.functional.spectral_centroid": lambda: {
        "waveform": _tensor(1, 64),
        "sample_rate": 16000,
        "pad": 0,
        "window": _tensor(16),
        "n_fft": 16,
        "hop_length": 8,
        "win_length": 16,
    },
    "torchaudio.functional.phase_vocoder": lambda: {
        "complex_specgrams": _tensor(2, 5, 8).cfloat(),
        "rate": 1.0,
        "phase_advance": _tensor(5, 1),
    },
    **{
        f"transformers.models.{name}.modeling_{name}.eager_attention_forward": lambda: {
            "module": _attention(),
            "query": _tensor(1, 2, 3, 4),
            "key": _tensor(1, 2, 3, 4),
            "value": _tensor(1, 2, 3, 4),
            "attention_mask": _tensor(1, 1, 3, 3),
            "scaling": 0.5,
        }
        for name in ("gemma", "llama", "mistral", "qwen2")
    },
    "transformers.models.gpt_neox.modeling_gpt_neox.apply_rotary_pos_emb": lambda: {
        "q": _tensor(1, 2, 3, 4),
        "k": _tensor(1, 2, 3, 4),
        "cos": _tensor(1, 3, 4),
        "sin": _tensor(1, 3, 4),
    },
    "speechbrain.dataio.dataio.clean_padding_": lambda: {"tensor": _tensor(2, 8), "length": _tensor(2) / 2},
    "speechbrain.utils.data_utils.trim_as": lambda: {"tensor": _tensor(3, 4), "other": _tensor(2, 2)},
    "speechbrain.utils.data_utils.trim_to_shape": lambda: {"tensor": _tensor(3, 4), "shape": (2, 2)},
    "speechbrain.processing.signal_processing.mean_std_norm": lambda: {"waveforms": _tensor(2, 8)},
    "fastai.vision.augment.cutout_gaussian": lambda: {"x": _tensor(1, 3, 4, 4), "areas": [(0, 2, 0, 2)]},
    "ultralytics.utils.ops.crop_mask": lambda: {"masks": _tensor(2, 4, 4), "boxes": _tensor(2, 4)},
    "xformers.ops.unbind": lambda: {"x": _tensor(3, 4), "dim": 0},
    "pytorch_msssim.ssim": lambda: {"X": _tensor(1, 3, 16, 16), "Y": _tensor(1, 3, 16, 16)},
}
# What a constructor takes that small numbers do not fit.
MADE: dict[str, Mapping[str, object]] = {
    "torchvision.transforms.Normalize": {"mean": [0.5], "std": [2.0]},
    "torchvision.ops.Permute": {"dims": [2, 0, 1]},
}


def _function(name: str) -> Any:
    from inplace_lint.runtime.check_rows import function_named

    if find_spec(name.partition(".")[0]) is None:
        pytest.skip("not installed")
    return function_named(name)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_a_function_does_what_its_rows_say(name: str) -> None:
    from inplace_lint.runtime.check_rows import AGREES, verdict_on
    from inplace_lint.runtime.op_table.observe import Call

    function = _function(name)
    entry = rows(name.partition(".")[0])["ops"][name]
    for row in map(read_row, entry if isinstance(entry, list) else [entry]):
        arguments = {**CALLS[name](), **dict(row.given)}
        assert verdict_on(row, [Call(function, (), arguments, (), ())]) == AGREES


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MADE)
def test_a_module_does_what_its_rows_say(name: str) -> None:
    from inplace_lint.runtime.check_rows import AGREES, verdict_on
    from inplace_lint.runtime.op_table.observe import Call

    made = _function(name)
    for row in map(read_row, rows(name.partition(".")[0])["modules"][name]["forward"]):
        module = made(**MADE[name], **dict(row.given))
        call = Call(module, (), {row.params[0].name: _tensor(3, 4, 4)}, (), ())
        assert verdict_on(row, [call]) == AGREES


def _between(head: str, call: str) -> str:
    return (
        f"import torch\n{head}\n\ndef train():\n    x = torch.rand(1, 3, 16, 16, requires_grad=True)\n"
        f"    y = torch.sigmoid(x)\n    {call}\n    y.sum().backward()\n"
    )


SSIM = "z = ssim(y, torch.rand(1, 3, 16, 16), data_range=1.0); y.{write}(2); z.backward()"
HAZARDS: dict[str, tuple[str, str, list[tuple[str, str]]]] = {
    "boxes scaled": (
        "from ultralytics.utils.ops import scale_boxes",
        "scale_boxes((4, 4), y, (8, 8))",
        [("IPL202", "scale_boxes(")],
    ),
    "a copy of them": (
        "from ultralytics.utils.ops import scale_boxes",
        "scale_boxes((4, 4), y.clone(), (8, 8))",
        [],
    ),
    "normalized in place": (
        "from torchvision.transforms import functional",
        "functional.normalize(y, [0.5], [2.0], inplace=True)",
        [("IPL202", "normalize(")],
    ),
    "normalized": (
        "from torchvision.transforms import functional",
        "y = functional.normalize(y, [0.5], [2.0])",
        [],
    ),
    "normalized by a module": (
        "from torchvision.transforms import Normalize",
        "Normalize([0.5], [2.0], inplace=True)(y)",
        [("IPL202", "Normalize(")],
    ),
    "a name with an underscore": (
        "from fastai.layers import sigmoid_",
        "sigmoid_(y)",
        [("IPL202", "sigmoid_(y)")],
    ),
    "a layer": (
        "from fastai.vision.augment import cutout_gaussian",
        "cutout_gaussian(y, [(0, 2, 0, 2)])",
        [("IPL202", "cutout_gaussian")],
    ),
    "saved": (
        "from pytorch_msssim import ssim",
        SSIM.format(write="mul_"),
        [("IPL202", "mul_")],
    ),
    "cleaned": (
        "from speechbrain.dataio.dataio import clean_padding_",
        "clean_padding_(y[0, 0], torch.rand(16))",
        [("IPL202", "clean_padding_")],
    ),
}


@pytest.mark.parametrize("name", HAZARDS)
def test_a_hazard_between_a_program_and_a_package_is_found(name: str) -> None:
    head, call, expected = HAZARDS[name]
    assert fits(_between(head, call), expected)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", HAZARDS)
def test_the_package_does_it(name: str) -> None:
    head, call, expected = HAZARDS[name]
    if find_spec(head.split()[1].partition(".")[0]) is None:
        pytest.skip("not installed")
    assert raises(made(_between(head, call))["train"]) == bool(expected)
