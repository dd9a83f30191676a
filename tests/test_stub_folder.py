"""Folders of stubs are read in place of libraries; mistakes in them are mistakes of the configuration."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from inplace_lint import Config, intrinsics, lint_paths, lint_source
from inplace_lint.interpret.analysis.entries import entries
from inplace_lint.interpret.analysis.following import run_once
from inplace_lint.interpret.library.intrinsics import HANDLERS
from inplace_lint.interpret.state.oracle import Oracle
from inplace_lint.interpret.state.program import Program
from inplace_lint.project import stub_folder
from inplace_lint.project.config import ConfigError, load
from inplace_lint.project.models import ModelError, known, read_model
from inplace_lint.source.lower import lower

SCALE = "def scale(t, factor):\n    t.mul_(factor)\n"
USE = """import torch
import mylib.ops
from mylib.ops import scale as grow

def f():
    x = torch.randn(3, requires_grad=True)
    y = torch.sigmoid(x)
    {call}
    y.sum().backward()
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)


def config(**files: str) -> Config:
    for name, text in files.items():
        write(f"stubs/{name.replace('__', '/')}.py", text)
    return Config(models=(read_model("stubs"),))


def found(call: str, given: Config) -> list[tuple[str, str, int]]:
    diagnostics = lint_source(USE.format(call=call), "use.py", config=given)
    return [(each.code, each.site.path, each.site.span.row) for each in diagnostics]


FRAMEWORK = """import torch

class Task:
    def __driven__(self):
        for _ in range(2):
            loss = self.loss(torch.ones(3))
            self.between()
            loss.backward()
            self.score(torch.ones(3))

    def between(self):
        return None

    @torch.no_grad()
    def score(self, x):
        return None
"""
TASK = """import torch
from mylib import Task

class Mine(Task):
    def __init__(self):
        self.weight = torch.ones(3, requires_grad=True)
        self.scale = torch.ones(3)

    def loss(self, x):
        return (self.weight * self.scale * x).sum()

    def {name}(self, x=None):
        {body}
"""


@pytest.mark.parametrize(
    ("name", "body", "codes"),
    [
        ("between", "self.scale.mul_(2)", ["IPL201"]),
        ("score", "self.scale.mul_(2)", []),
        ("score", "return self.weight.exp().add_(1)", []),
        ("other", "return self.weight.exp().add_(1)", ["IPL202"]),
    ],
)
def test_a_stub_says_how_a_framework_drives_the_classes_of_users(name: str, body: str, codes: list[str]) -> None:
    given = config(mylib=FRAMEWORK)
    diagnostics = lint_source(TASK.format(name=name, body=body), "use.py", config=given)
    assert [each.code for each in diagnostics] == codes


@pytest.mark.parametrize("call", ["grow(y, 2.0)", "mylib.ops.scale(y, 2.0)"])
def test_what_is_found_in_a_stub_stands_where_it_is_called(call: str) -> None:
    assert found(call, config(mylib__ops=SCALE)) == [("IPL202", "use.py", 8)]
    assert found(call, config(mylib__ops=SCALE.replace("mul_", "mul"))) == []
    assert found(call, Config()) == []


def test_a_package_stands_for_modules_without_a_stub_of_their_own() -> None:
    write("stubs/mylib/__init__.py", SCALE)
    assert found("grow(y, 2.0)", Config(models=(read_model("stubs"),))) == [("IPL202", "use.py", 8)]
    assert found("grow(y, 2.0)", config(mylib__ops="def other(): ...\n")) == []


KEPT = """import torch

W = torch.ones(3, requires_grad=True)


def ones(x, into=torch.ones(3)):
    into.add_(x)


class Net:
    weight = torch.ones(3, requires_grad=True)
"""


@pytest.mark.parametrize(
    "use", ["mylib.ones(W)", "w = mylib.W", "mylib.Net.weight.add_(1)", "from mylib import *\nones(W)"]
)
def test_nothing_that_is_told_stands_in_a_stub(use: str) -> None:
    text = f"import torch\nimport mylib\n\nW = torch.ones(3)\n{use}\nmylib.W.add_(1)\n"
    diagnostics = lint_source(text, "use.py", config=config(mylib=KEPT))
    assert len(diagnostics) > (use != "w = mylib.W")
    assert {each.site.path for found in diagnostics for each in (found, *found.related)} == {"use.py"}


def test_stubs_use_one_another() -> None:
    scale = "from kernels import run\n\ndef scale(t, factor):\n    run(t)\n"
    given = config(mylib__ops=scale, kernels="def run(t):\n    t.add_(1)\n")
    assert found("grow(y, 2.0)", given) == [("IPL202", "use.py", 8)]


def test_a_function_of_the_program_that_a_stub_calls_writes_where_it_stands() -> None:
    text = "import torch\nfrom mylib import each\n\ndef f():\n    x = torch.ones(3, requires_grad=True)\n"
    text += "    y = x.exp()\n    each(lambda t: t.mul_(2), [y])\n    y.sum().backward()\n"
    given = config(mylib="def each(function, items):\n    for item in items:\n        function(item)\n")
    (only,) = lint_source(text, "use.py", config=given)
    assert (only.code, only.site.span.row, only.site.span.column) == ("IPL202", 7, 20)
    assert any("called from here" in related.message for related in only.related)


def test_a_stub_wins_over_the_source_in_view() -> None:
    write("mylib/ops.py", "def scale(t, factor):\n    return t\n")
    write("mylib/__init__.py", "")
    write("use.py", USE.format(call="grow(y, 2.0)"))
    assert not lint_paths(["use.py"]).diagnostics
    write("stubs/mylib/ops.py", SCALE)
    write("inplace-lint.toml", "models = ['stubs']\n")
    assert [each.code for each in lint_paths(["use.py"]).diagnostics] == ["IPL202"]


def test_of_two_models_the_later_one_wins() -> None:
    first, other = config(mylib__ops=SCALE), "def scale(t, factor):\n    return t\n"
    write("others/mylib/ops.py", other)
    assert found("grow(y, 2.0)", Config(models=(*first.models, read_model("others")))) == []
    assert found("grow(y, 2.0)", Config(models=(read_model("others"), *first.models))) != []


def test_the_cache_knows_that_a_stub_has_changed() -> None:
    write("use.py", USE.format(call="grow(y, 2.0)"))
    write("inplace-lint.toml", "models = ['stubs']\n")
    counts = []
    for text in (SCALE, SCALE, SCALE.replace("mul_", "mul"), SCALE):
        write("stubs/mylib/ops.py", text)
        counts.append(len(lint_paths(["use.py"], cache=".kept").diagnostics))
    assert counts == [1, 1, 0, 1]


def test_a_stub_is_checked_like_any_file_if_it_is_among_them() -> None:
    wrong = "    x = torch.exp(torch.ones(2).requires_grad_())\n    x.mul_(2)\n    x.sum().backward()\n"
    write("stubs/mylib/ops.py", f"import torch\n\ndef wrong():\n{wrong}")
    write("inplace-lint.toml", "models = ['stubs']\n")
    (only,) = lint_paths(["."]).diagnostics
    assert (only.code, Path(only.site.path).name, only.site.span.row) == ("IPL202", "ops.py", 5)


LONG = "def long(t):\n" + "    t = t + 1\n" * 100 + "    return t\n"


def steps(text: str, given: Config) -> int:
    """The steps that it takes to run the last function of a text."""
    with known(given.models, given.torch_version):
        *_, last = entries(Program(lambda _: None, lower).add("use.py", text))
        oracle = Oracle()
        run_once(last, oracle, set())
        return oracle.steps


def test_steps_in_a_stub_count_less_than_those_of_the_program() -> None:
    given, use = config(mylib=LONG), "\n\ndef f(x):\n    return long(x)\n"
    own, stub = steps(LONG + use, Config()), steps("from mylib import long\n" + use, given)
    assert own > 400 > 150 > stub > 50


def test_nothing_of_a_stub_is_run() -> None:
    config(mylib__ops="import sys\nLEFT = sys.modules.setdefault('left_by_a_stub', sys)\n" + SCALE)
    assert found("grow(y, 2.0)", Config(models=(read_model("stubs"),))) == [("IPL202", "use.py", 8)]
    assert "left_by_a_stub" not in sys.modules


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def f(:\n", "mylib.py:1: cannot be read: "),
        ("\ndef f(t):\n    return torch.exp(t)\n", "mylib.py:3: `torch` is defined nowhere"),
        ("import torch\ndef f():\n    return trch.exp(1)\n", "`trch` is defined nowhere; did you mean `torch`?"),
        ("import pandas\n", "mylib.py:1: `pandas` is unknown here: a stub may import PyTorch"),
        ("from inplace_lint.intrinsics import perhap\n", "has no `perhap`; did you mean `perhaps`?"),
        ("from inplace_lint.project.config import Config\n", "`inplace_lint.project.config` is unknown here"),
        ("from inplace_lint import lint_paths\n", "`inplace_lint.lint_paths` is unknown here"),
        ("from .ops import f\n", "mylib.py:1: a stub imports by full names"),
        ("import torch\n\ntorch.manual_seed(0)\n", "mylib.py:3: a stub is not run"),
        ("def f(t):\n    t.add_(1)\n\0", "mylib.py"),
    ],
)
def test_mistakes_are_named_with_their_lines(text: str, message: str) -> None:
    write("stubs/mylib.py", text)
    with pytest.raises(ModelError) as caught:
        read_model("stubs")
    assert message in str(caught.value)


def test_a_folder_must_have_stubs_whose_paths_are_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("empty").mkdir()
    with pytest.raises(ModelError, match="empty: has no stubs"):
        read_model("empty")
    monkeypatch.setattr(stub_folder, "MOST_STUBS", 1)
    write("many/a.py", SCALE)
    write("many/b.py", SCALE)
    with pytest.raises(ModelError, match="many: has more than 1 files"):
        read_model("many")
    write("stubs/my-lib.py", SCALE)
    with pytest.raises(ModelError, match=r"my-lib.py: its path stands for no module"):
        read_model("stubs")


def test_mistakes_name_the_configuration_too() -> None:
    write("stubs/mylib.py", "import pandas\n")
    write("inplace-lint.toml", "models = ['stubs']\n")
    with pytest.raises(ConfigError, match=r"inplace-lint.toml: `models`: .*mylib.py:1: `pandas` is unknown here"):
        load(Path("inplace-lint.toml"))


def test_the_interpreter_and_the_documents_know_what_stubs_may_call() -> None:
    document = (Path(__file__).parent.parent / "docs" / "configuration.md").read_text("utf-8")
    assert {f"inplace_lint.intrinsics.{name}" for name in intrinsics.__all__} == HANDLERS.keys()
    assert [name for name in intrinsics.__all__ if f"| `{name}(" not in document] == []


@pytest.mark.parametrize("head", ["import inplace_lint.intrinsics as i", "from inplace_lint import intrinsics as i"])
def test_what_stubs_may_call_can_be_imported_as_a_module(head: str) -> None:
    text = f"{head}\n\ndef scale(t, factor):\n    i.view_of(t).mul_(factor)\n"
    assert found("grow(y, 2.0)", config(mylib__ops=text)) == [("IPL202", "use.py", 8)]


def test_the_shipped_stubs_are_valid_ones() -> None:
    import inplace_lint.torch_model

    folder = Path(inplace_lint.torch_model.__file__).with_name("programs")
    assert len(read_model(str(folder)).stubs) == len(list(folder.rglob("*.py"))) > 5
