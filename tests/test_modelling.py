"""Models are made of the source of libraries, checked by running them, and shipped for some."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from inplace_lint import Config, lint_paths
from inplace_lint.cli import main
from inplace_lint.project.environment import search_path
from inplace_lint.project.models import read_model
from inplace_lint.torch_model import op_table

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LIBRARY = """import torch
from torch import nn


def swish(x: torch.Tensor, inplace=False):
    return x.mul_(x.sigmoid()) if inplace else x * x.sigmoid()


def scaled(x: torch.Tensor, gate: torch.Tensor):
    return x * gate


def flat(x: torch.Tensor):
    return x.detach()


def halves(x: torch.Tensor):
    return x[0], x[1]


def centred(x: torch.Tensor):
    x -= x.mean()
    return x


def sometimes(x: torch.Tensor, y: torch.Tensor, really):
    return x.add_(1) if really else x + 1


def usual(x: torch.Tensor):
    return x + 1


def hidden(x: torch.Tensor):
    x.data.mul_(2)


def _private(x: torch.Tensor):
    return x.add_(1)


class Gate(nn.Module):
    def __init__(self, size, inplace: bool = False):
        super().__init__()
        self.inplace = inplace
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, x: torch.Tensor):
        return x.sigmoid_() if self.inplace else x * self.weight


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor):
        return self.inner(x)
"""

MODEL = {
    "ops": {
        "mylib.acts.centred": {"params": ["x:tensor"], "writes": ["x"], "returns": "alias x"},
        "mylib.acts.flat": {"params": ["x:tensor"], "returns": "view x", "grad": False},
        "mylib.acts.halves": {"params": ["x:tensor"], "returns": ["view x", "view x"]},
        "mylib.acts.scaled": {
            "params": ["x:tensor", "gate:tensor"],
            "saves": [["gate", ["x"]], ["x", ["gate"]]],
        },
        "mylib.acts.swish": [
            {"params": ["x:tensor", "inplace:bool="], "given": {"inplace": False}, "saves": [["x"]]},
            {
                "params": ["x:tensor", "inplace:bool="],
                "given": {"inplace": True},
                "writes": ["x"],
                "returns": "alias x",
            },
        ],
    },
    "modules": {
        "mylib.acts.Gate": {
            "init": [["size", "<required>"], ["inplace", False]],
            "parameters": ["weight"],
            "forward": [
                {
                    "params": ["x:tensor"],
                    "given": {"inplace": False},
                    "saves": [["weight", ["x"]], ["x", ["weight"]]],
                },
                {
                    "params": ["x:tensor"],
                    "given": {"inplace": True},
                    "writes": ["x"],
                    "returns": "alias x",
                    "saves": [["result", ["x"]]],
                },
            ],
        }
    },
}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    search_path.cache_clear()
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(variable, raising=False)
    (tmp_path / "lib" / "mylib").mkdir(parents=True)
    (tmp_path / "lib" / "mylib" / "__init__.py").write_text("from .acts import swish as silu\n")
    (tmp_path / "lib" / "mylib" / "acts.py").write_text(LIBRARY)
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")


def run(*args: str) -> int:
    with pytest.raises(SystemExit) as stopped:
        main(["model", str(Path("..", "lib", "mylib")), *args])
    assert isinstance(stopped.value.code, int)
    return stopped.value.code


def found(text: str, **options: object) -> list[tuple[str, int]]:
    Path("main.py").write_text(text)
    config = Config(**{"python": "none", **options})  # type: ignore[arg-type]
    return [(each.code, each.site.span.row) for each in lint_paths(["main.py"], config).diagnostics]


def plain(document: dict[str, dict[str, object]]) -> dict[str, dict[str, object]]:
    """Rows without their reasons."""

    def without(entry: object) -> object:
        if isinstance(entry, list):
            return [without(each) for each in entry]
        if isinstance(entry, dict):
            return {key: without(each) for key, each in entry.items() if key != "reason"}
        return entry

    return {kind: {name: without(entry) for name, entry in entries.items()} for kind, entries in document.items()}


def test_rows_say_what_the_source_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--output", "mylib.toml") == 0
    document = tomllib.loads(Path("mylib.toml").read_text())
    assert document["ops"].pop("mylib.silu") == document["ops"]["mylib.acts.swish"]
    assert plain(document) == MODEL
    told = capsys.readouterr().err
    assert "mylib: 1 left out: consists of layers" in told
    assert "mylib: 1 left out: writes on some paths only" in told
    assert "mylib: 1 left out: writes behind autograd's back" in told
    read_model("mylib.toml")


def test_what_is_run_decides(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--output", "mylib.toml") == 0
    text = Path("mylib.toml").read_text()
    wrong = text + '\n[ops."mylib.acts.usual"]\nparams = ["x:tensor"]\nwrites = ["x"]\nreturns = "alias x"\n'
    Path("mylib.toml").write_text(wrong)
    assert run("--check", "mylib.toml", "--output", "checked.toml") == 0
    assert "dropped: mylib.acts.usual: writes nothing" in capsys.readouterr().err
    document = tomllib.loads(Path("checked.toml").read_text())
    assert "mylib.acts.usual" not in document["ops"]
    assert {row["reason"] for row in document["ops"]["mylib.acts.swish"]} == {"run on random tensors"}
    assert document["modules"]["mylib.acts.Gate"]["reason"] == "run on random tensors"
    assert Path("checked.toml").read_text().splitlines()[:2] == text.splitlines()[:2]


PROGRAM = """import torch
from mylib.acts import centred

x = torch.randn(3, requires_grad=True)
y = torch.sigmoid(x)
centred(y)
y.sum().backward()
"""


def test_a_program_is_checked_with_the_rows_and_a_corrected_one_wins() -> None:
    assert found(PROGRAM) == []
    assert run("--output", "mylib.toml") == 0
    assert found(PROGRAM, models=(read_model("mylib.toml"),)) == [("IPL202", 6)]
    Path("own.toml").write_text('[ops."mylib.acts.centred"]\nparams = ["x:tensor"]\n')
    assert found(PROGRAM, models=(read_model("mylib.toml"), read_model("own.toml"))) == []


def test_no_such_package(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["model", "nolib", "--python", "none"])
    assert stopped.value.code == 2
    assert "no Python source of a package `nolib`" in capsys.readouterr().err


SHIPPED = """import torch
from timm.layers.activations import swish

x = torch.randn(3, requires_grad=True)
y = torch.sigmoid(x)
z = swish(y, inplace=True)
z.sum().backward()
"""


def test_shipped_rows_stand_for_what_is_not_installed() -> None:
    assert found(SHIPPED) == [("IPL202", 6)]
    assert found(SHIPPED.replace("inplace=True", "inplace=False")) == []


def test_source_that_is_installed_wins(tmp_path: Path) -> None:
    place = tmp_path / "env" / "lib" / "python3.11" / "site-packages" / "timm" / "layers"
    place.mkdir(parents=True)
    for folder in (place.parent, place):
        (folder / "__init__.py").write_text("")
    (place / "activations.py").write_text("import torch\n\ndef swish(x, inplace=False):\n    return torch.tanh(x)\n")
    assert found(SHIPPED, python=str(tmp_path / "env")) == []


def test_a_users_row_wins_over_a_shipped_one() -> None:
    Path("own.toml").write_text('[ops."timm.layers.activations.swish"]\nparams = ["x:tensor", "inplace:bool="]\n')
    assert found(SHIPPED, models=(read_model("own.toml"),)) == []


@pytest.mark.parametrize("package", sorted(op_table.packages()))
def test_shipped_rows_are_valid_sorted_and_of_their_package(package: str) -> None:
    file = Path(op_table.__file__).parent / "packages" / f"{package}.toml"
    model = read_model(str(file))
    document = tomllib.loads(model.text)
    assert model.text.startswith(f"# What {package} ")
    for entries in document.values():
        assert list(entries) == sorted(entries)
        assert all(name.startswith(f"{package}.") for name in entries)
    rows = [
        row for entry in document.get("ops", {}).values() for row in (entry if isinstance(entry, list) else [entry])
    ]
    assert all(row["reason"] for row in [*rows, *document.get("modules", {}).values()])
