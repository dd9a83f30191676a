"""Functions that other files call: a finding about recorded gradients does not hold if all of these record none."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

from inplace_lint import lint_paths, lint_source
from inplace_lint.cli import cli
from inplace_lint.interpret.analysis.grad_modes import called_without_gradients
from inplace_lint.pipeline.session import Session
from inplace_lint.source.lower import lower

FN = """
import torch


def scaled(x):
    y = torch.sigmoid(x)
    y.mul_(2)
    return y
"""

QUIET = "import torch\n{imports}\n\n\ndef sample(x):\n    with torch.no_grad():\n        return {call}(x)\n"
LOUD = "import torch\n{imports}\n\n\ndef train(x):\n    return {call}(x)\n"
FILES = {"pkg/__init__.py": "", "pkg/fn.py": FN}

BY_NAME = {"imports": "from pkg.fn import scaled", "call": "scaled"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(files: Mapping[str, str]) -> None:
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)
        os.utime(name, (1e9 + len(text), 1e9 + len(text)))  # the cache keeps nothing that may be changing just now


def found(files: Mapping[str, str], paths: tuple[str, ...] = (".",), jobs: int = 1, cache: str | None = None) -> int:
    """How many findings there are in these files."""
    write(files)
    diagnostics = lint_paths(paths, jobs=jobs, cache=cache).diagnostics
    assert {each.code for each in diagnostics} <= {"IPL202", "IPL101"}
    return len(diagnostics)


@pytest.mark.parametrize(
    ("imports", "call"),
    [
        ("from pkg.fn import scaled", "scaled"),
        ("from pkg.fn import scaled as double", "double"),
        ("from .fn import scaled", "scaled"),
        ("from .fn import *", "scaled"),
        ("from . import fn", "fn.scaled"),
        ("from pkg import fn as functions", "functions.scaled"),
        ("import pkg.fn", "pkg.fn.scaled"),
        ("import pkg.fn as functions", "functions.scaled"),
        ("import pkg", "pkg.fn.scaled"),
        ("from pkg.api import scaled", "scaled"),
        ("from pkg.api import fn", "fn.scaled"),
        ("from pkg import api", "api.fn.scaled"),
        ("from pkg import modules", "modules.fn.scaled"),
        ("from pkg.modules import fn", "fn.scaled"),
        ("from pkg.modules import functions", "functions.scaled"),
        ("from pkg import every", "every.scaled"),
        ("from pkg.renamed import doubled", "doubled"),
    ],
)
def test_however_a_function_is_imported(imports: str, call: str) -> None:
    ways = {
        "pkg/api.py": "from pkg import fn\nfrom pkg.fn import scaled\n",
        "pkg/modules.py": "from pkg import fn\nfrom pkg import fn as functions\n",
        "pkg/every.py": "from pkg.fn import *\n",
        "pkg/renamed.py": "from pkg.fn import scaled as doubled\n",
    }
    quiet, loud = QUIET.format(imports=imports, call=call), LOUD.format(imports=imports, call=call)
    assert found({**FILES, **ways, "pkg/sampling.py": quiet}) == 0
    assert found({**FILES, **ways, "pkg/other.py": QUIET.format(**BY_NAME), "pkg/sampling.py": loud}) == 1


@pytest.mark.parametrize(
    "other",
    [
        LOUD.format(**BY_NAME),
        "from pkg.fn import scaled\n\nresults = map(scaled, range(3))\n",
        "from pkg.fn import scaled\n\nTABLE = {'scaled': scaled}\n",
        "from pkg.fn import scaled\n\n\nclass Head:\n    scale = scaled(1)\n",
        QUIET.format(**BY_NAME).replace("return", "with torch.enable_grad():\n            return"),
        "from pkg.fn import scaled as double\n\n\ndef train(x):\n    return double(x)\n",
        "from elsewhere.fn import scaled\n\n\ndef train(x):\n    return scaled(x)\n",  # a folder may have another name
    ],
)
def test_one_call_that_may_record_gradients_is_enough(other: str) -> None:
    quiet = {**FILES, "pkg/sampling.py": QUIET.format(**BY_NAME)}
    assert found(quiet) == 0
    assert found({**quiet, "pkg/other.py": other}) == 1


@pytest.mark.parametrize(
    "other",
    [
        "def scaled(x):\n    return x\n\n\ndef train(x):\n    return scaled(x)\n",
        "from pkg.other import scaled\n\n\ndef train(x):\n    return scaled(x)\n",
        "from torchvision import scaled\n\n\ndef train(x):\n    return scaled(x)\n",
        "from torch import fn\n\n\ndef train(x):\n    return fn.scaled(x)\n",
        "def train(image):\n    return image.scaled()\n",
        "from pkg.fn import scaled\n\n__all__ = ['scaled']\n",
    ],
)
def test_another_thing_of_the_same_name_is_called(other: str) -> None:
    more = {"pkg/other.py": "def scaled(x):\n    return x\n", "pkg/train.py": other}
    assert found({**FILES, **more, "pkg/sampling.py": QUIET.format(**BY_NAME)}) == 0


@pytest.mark.parametrize(("name", "count"), [("weighted_loss", 1), ("scaled", 0), ("validation_loss", 0)])
def test_another_file_evaluates_a_loss(name: str, count: int) -> None:
    quiet = QUIET.format(imports=f"from pkg.fn import {name}", call=name)
    assert found({"pkg/__init__.py": "", "pkg/fn.py": FN.replace("scaled", name), "use.py": quiet}) == count


def test_folders_that_are_no_packages() -> None:
    files = {"pkg/fn.py": FN, "pkg/sampling.py": QUIET.format(imports="from pkg import fn", call="fn.scaled")}
    assert found(files) == 0
    assert found({**files, "train.py": LOUD.format(imports="import pkg.fn as f", call="f.scaled")}) == 1


def test_files_of_the_same_name() -> None:
    both = {f"{folder}/fn.py": FN for folder in ("one", "two")}
    one = {"one/run.py": QUIET.format(imports="from fn import scaled", call="scaled")}
    assert found({**both, **one}) == 1
    assert found({"two/run.py": QUIET.format(imports="import fn", call="fn.scaled")}) == 0
    assert found({"one/run.py": LOUD.format(imports="import fn", call="fn.scaled")}) == 1


def test_nobody_calls_it() -> None:
    assert found(FILES) == 1


def test_callers_of_callers() -> None:
    inner = "from pkg.fn import scaled\n\n\ndef logits(x):\n    return scaled(x) + 1\n"
    outer = {"imports": "from pkg.inner import logits", "call": "logits"}
    files = {**FILES, "pkg/inner.py": inner, "pkg/sampling.py": QUIET.format(**outer)}
    assert found(files) == 0
    assert found({**files, "pkg/train.py": LOUD.format(**outer)}) == 1
    Path("pkg/train.py").unlink()
    assert found({"pkg/sampling.py": "import torch\n\n\n@torch.no_grad()\ndef run(x, f):\n    return f(x)\n"}) == 1


def test_its_own_file_leads_to_it_from_another_function() -> None:
    own = FN + "\n\ndef tree(x):\n    return scaled(x[0])\n"
    outer = {"imports": "from pkg.fn import tree", "call": "tree"}
    assert found({**FILES, "pkg/fn.py": own}) == 1
    assert found({**FILES, "pkg/fn.py": own, "pkg/sampling.py": QUIET.format(**outer)}) == 0
    assert found({"pkg/train.py": LOUD.format(**outer)}) == 1


def test_only_those_who_call_one_another() -> None:
    own = FN + "\n\ndef one(x):\n    return other(scaled(x))\n\n\ndef other(x):\n    return one(x)\n"
    assert found({**FILES, "pkg/fn.py": own}) == 1


def test_a_decorated_caller() -> None:
    decorated = (
        "import torch\nfrom pkg.fn import scaled\n\n\n@torch.inference_mode()\ndef run(x):\n    return scaled(x)\n"
    )
    assert found({**FILES, "pkg/sampling.py": decorated}) == 0


def test_a_function_that_a_decorator_hands_on() -> None:
    quiet = {**FILES, "pkg/sampling.py": QUIET.format(**BY_NAME)}
    assert found({**quiet, "pkg/fn.py": FN.replace("def ", "@torch.jit.script\ndef ")}) == 0
    assert found({**quiet, "pkg/fn.py": FN.replace("def ", "@register('scaled')\ndef ")}) == 1


@pytest.mark.parametrize(
    ("between", "quiet"),
    [
        ("return scaled(x)", True),
        ("with torch.enable_grad():\n            return scaled(x)", False),
        ("with torch.enable_grad():\n            with torch.no_grad():\n                return scaled(x)", True),
    ],
)
def test_gradients_that_are_switched_on_again(between: str, quiet: bool) -> None:
    calling = f"\n\ndef between(x):\n    if x.any():\n        {between}\n    return x\n"
    text = FN + calling + QUIET.format(imports="", call="between")
    assert called_without_gradients(lower(text, "fn.py"))["scaled"] is quiet


def test_what_the_body_of_a_class_calls() -> None:
    text = FN + QUIET.format(imports="", call="scaled")
    assert called_without_gradients(lower(text, "fn.py"))["scaled"]
    text += "\n\nclass Table:\n    first = scaled(torch.ones(3))\n"
    assert not called_without_gradients(lower(text, "fn.py"))["scaled"]


def test_what_is_certain_stays() -> None:
    leaf = "w = torch.ones(3, requires_grad=True)\n    y = torch.sigmoid(x * w)"
    own = FN.replace("y = torch.sigmoid(x)", leaf).replace("return y", "return y.sum().backward()")
    assert found({**FILES, "pkg/fn.py": own, "pkg/sampling.py": QUIET.format(**BY_NAME)}) == 1


def test_what_is_not_about_gradients_stays() -> None:
    write(
        {
            **FILES,
            "pkg/fn.py": "import torch\n\n\ndef scaled(x):\n    y = x\n    x = torch.relu_(x)\n    return x + y\n",
            "pkg/sampling.py": QUIET.format(**BY_NAME),
        }
    )
    assert [each.code for each in lint_paths(["."]).diagnostics] == ["IPL303"]


METHOD = """
import torch
from torch import nn


class Model(nn.Module):
    def best_path(self, x):
        y = torch.sigmoid(x)
        y.mul_(2)
        return y
"""
PARSER = """
import torch


class Parser:
    @torch.no_grad()
    def predict(self, batch):
        return self.model.best_path(batch)
"""


@pytest.mark.parametrize(
    ("model", "other", "count"),
    [
        (METHOD, "", 0),
        (METHOD, "class Trainer:\n    def run(self, x):\n        return self.model.best_path(x)\n", 1),
        (METHOD, "class Other:\n    def best_path(self, x):\n        return x\n", 1),
        (METHOD.replace("nn.Module", "Base"), "class Base:\n    pass\n", 0),
        (METHOD.replace("nn.Module", "Base"), "from library import Base\n", 1),
        (METHOD.replace("best_path", "forward"), "", 1),
    ],
)
def test_a_method_that_is_declared_once(model: str, other: str, count: int) -> None:
    parser = PARSER.replace("best_path", "forward") if "forward" in model else PARSER
    assert found({"pkg/model.py": model, "pkg/parser.py": parser, "pkg/other.py": other}) == count


def test_a_file_alone() -> None:
    files = {**FILES, "pkg/sampling.py": QUIET.format(**BY_NAME)}
    assert found(files, ("pkg/fn.py",)) == 1
    assert found(files, ("pkg/fn.py", "pkg/sampling.py")) == 0


def test_with_processes() -> None:
    many = {f"pkg/more{index}.py": f"import torch\n\nx = torch.ones({index})\n" for index in range(40)}
    quiet = {**FILES, **many, "pkg/sampling.py": QUIET.format(**BY_NAME)}
    assert found(quiet, jobs=2) == 0
    assert found({**quiet, "pkg/train.py": LOUD.format(**BY_NAME)}, jobs=2) == 1


def test_with_a_cache() -> None:
    quiet, loud = QUIET.format(**BY_NAME), LOUD.format(**BY_NAME)
    inner = "from pkg.fn import scaled\n\n\ndef logits(x):\n    return scaled(x) + 1\n"
    edits: list[tuple[dict[str, str], int]] = [
        (FILES, 1),
        ({"pkg/sampling.py": quiet}, 0),
        ({"pkg/sampling.py": loud}, 1),
        ({"pkg/sampling.py": quiet}, 0),
        ({"pkg/fn.py": f"# moved\n\n{FN}"}, 0),
        ({"pkg/sampling.py": f"# moved\n{loud}"}, 1),
        ({"pkg/sampling.py": quiet, "pkg/inner.py": inner}, 1),
        ({"pkg/top.py": QUIET.format(imports="from pkg.inner import logits", call="logits")}, 0),
        ({"pkg/top.py": LOUD.format(imports="from pkg.inner import logits", call="logits")}, 1),
        ({"pkg/top.py": "print(1)\n"}, 1),
        ({"pkg/inner.py": "print(2)\n"}, 0),
    ]
    for files, count in edits:
        assert found(files, cache="cache") == count, files
        assert found({}, cache="cache") == count, files
        assert found({}) == count, files


def test_in_an_editor(tmp_path: Path) -> None:
    write({**FILES, "pkg/sampling.py": QUIET.format(**BY_NAME)})
    session = Session([str(tmp_path)], {})
    fn, sampling = str(tmp_path / "pkg/fn.py"), str(tmp_path / "pkg/sampling.py")
    assert len(session.check(fn, {}).found[fn]) == 1
    assert session.check(sampling, {}).found[fn] == ()
    assert session.check(fn, {fn: f"# moved\n{FN}"}).found[fn] == ()
    assert [each.code for each in session.refuted_in(fn)] == ["IPL202"]
    assert len(session.check(sampling, {sampling: LOUD.format(**BY_NAME)}).found[fn]) == 1
    assert session.check(sampling, {sampling: None}).found[fn] == ()
    assert len(session.drop(sampling, {}).found[fn]) == 1


def test_why_tells_of_it() -> None:
    write({**FILES, "pkg/sampling.py": QUIET.format(**BY_NAME)})

    def why(*options: str) -> str:
        return CliRunner().invoke(cli, ["why", "pkg/fn.py:7", *options], catch_exceptions=False).output

    assert ": reported" in why()
    status = "saved for backward if `x` requires grad: not shown: other files run or call the function"
    assert status in why("--callers")
    CliRunner().invoke(cli, ["check", "."])
    assert status in why()
    write({"pkg/sampling.py": LOUD.format(**BY_NAME)})
    assert ": reported" in why()


@pytest.mark.parametrize("base", ["Function", "autograd.Function", "torch.autograd.Function"])
def test_what_a_custom_function_calls(base: str) -> None:
    imports = (
        "import torch\nfrom torch import autograd\nfrom torch.autograd import Function\nfrom pkg.fn import scaled\n"
    )
    custom = f"\n\nclass Scale({base}):\n    @staticmethod\n    def forward(ctx, x):\n        return scaled(x)\n"
    assert found({**FILES, "pkg/scale.py": imports + custom}) == 0
    assert found({**FILES, "pkg/scale.py": imports + custom.replace(f"({base})", "")}) == 1


def test_from_inside_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    certain = FN.replace("(x)\n    y.mul_", "(x.requires_grad_())\n    y.mul_")
    caller = LOUD.format(**BY_NAME).replace("return scaled(x)", "y = scaled(x)\n    y.add_(1)\n    return y")
    write({**FILES, "pkg/fn.py": certain, "pkg/training.py": caller})
    monkeypatch.chdir("pkg")
    assert [each.site.path for each in lint_paths((".",), jobs=1).diagnostics] == ["fn.py"]


@pytest.mark.parametrize("block", ["with torch.no_grad():", "if torch.is_grad_enabled():"])
def test_blocks_of_nothing(block: str) -> None:
    text = f"{FN}\n\ndef quiet(x):\n    {block}\n        pass\n    with torch.no_grad():\n        return scaled(x)\n"
    assert lint_source(text) == []
