"""Models of timm and transformers as targets of `confirm` and `memory`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from inplace_lint.runtime.errors import TargetError  # noqa: E402
from inplace_lint.runtime.inputs import read_inputs  # noqa: E402
from inplace_lint.runtime.target import load  # noqa: E402

INPUTS = (torch.ones(2, 3),), {}


class Net(nn.Module):
    """Stands for a model of a library that is not installed here."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.linear = nn.Linear(3, config.width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x)


def width(target: Any) -> int:
    return int(target.fresh().model.linear.out_features)


def test_timm_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    timm = ModuleType("timm")
    vars(timm).update(
        is_model=lambda name: name == "small",
        create_model=lambda name, width=2: Net(SimpleNamespace(width=width)),
    )
    monkeypatch.setitem(sys.modules, "timm", timm)
    assert width(load("timm:small", {}, INPUTS)) == 2
    assert width(load("timm:small", {"width": 4}, INPUTS)) == 4
    with pytest.raises(TargetError, match="has no `large`"):
        load("timm:large", {}, INPUTS)


@pytest.fixture
def transformers(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("transformers")

    def for_model(kind: str, **given: Any) -> SimpleNamespace:
        if kind != "net":
            raise ValueError(f"unknown: {kind}")
        return SimpleNamespace(**given)

    vars(module).update(
        AutoConfig=SimpleNamespace(for_model=for_model),
        AutoModel=SimpleNamespace(from_config=Net),
        Net=Net,
    )
    monkeypatch.setitem(sys.modules, "transformers", module)


@pytest.mark.usefixtures("transformers")
@pytest.mark.parametrize("name", ["AutoModel", "Net"])
@pytest.mark.parametrize("kind", ["text", "file", "folder"])
def test_transformers_by_configuration(name: str, kind: str, tmp_path: Path) -> None:
    text = json.dumps({"model_type": "net", "width": 5})
    (tmp_path / "config.json").write_text(text)
    config = {"text": text, "file": str(tmp_path / "config.json"), "folder": str(tmp_path)}[kind]
    assert width(load(f"transformers:{name}", {}, INPUTS, config=config)) == 5


@pytest.mark.usefixtures("transformers")
@pytest.mark.parametrize(
    ("config", "message"),
    [
        ('{"width": 5}', "names no `model_type`"),
        ("[]", "names no `model_type`"),
        ('{"model_type": "other"}', "unknown: other"),
        ("{", "--hf-config: "),
        ("nowhere", "nowhere"),
    ],
)
def test_what_is_no_configuration(config: str, message: str, tmp_path: Path) -> None:
    if config == "[]":
        (tmp_path / "list.json").write_text(config)
        config = str(tmp_path / "list.json")
    with pytest.raises(TargetError, match=message):
        load("transformers:Net", {}, INPUTS, config=config)


@pytest.mark.usefixtures("transformers")
def test_asks_for_a_configuration() -> None:
    with pytest.raises(TargetError, match=r'needs arguments: --init "config=\.\.\.", or --hf-config$'):
        load("transformers:Net", {}, INPUTS)


def test_the_real_transformers() -> None:
    pytest.importorskip("transformers")
    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
    config = json.dumps({"model_type": "bert", "vocab_size": 10, **sizes})
    call = load("transformers:AutoModel", {}, ((), {"input_ids": torch.zeros(1, 3).long()}), config=config).fresh()
    assert call.function(*call.args, **call.kwargs).last_hidden_state.shape == (1, 3, 8)


def test_words_are_strings_for_constructors() -> None:
    given = {"name=resnet18": "resnet18", "path=a/b-c.d": "a/b-c.d", "depth=3": 3, "kind=float64": torch.float64}
    given |= {"flag=True": True, "none=None": None, "text='x y'": "x y"}
    for text, value in given.items():
        ((_, read),) = read_inputs([text], words=True)[1].items()
        assert read == value, text
    for text, words in (("x=resnet18", False), ("x=rnd(3)", True)):
        with pytest.raises(TargetError, match="cannot read"):
            read_inputs([text], words=words)
