"""Installed libraries are found, read and followed; what goes wrong there is told where the program calls them."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest
from installed_programs import SITE, found, install, result

from inplace_lint import Config, lint_paths
from inplace_lint.cli import main
from inplace_lint.interpret.analysis import analyze
from inplace_lint.project.config import ConfigError, load
from inplace_lint.project.environment import NoEnvironmentError, search_path

LIBRARY = """import torch


def swish(x, inplace=False):
    return x.mul_(x.sigmoid()) if inplace else x * x.sigmoid()


class Gate(torch.nn.Module):
    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def forward(self, x):
        return swish(x, self.inplace)


def broken(x):
    y = torch.sigmoid(x)
    y += 1
    return y


def scaled(x):
    x /= x.norm()
    return torch.relu(x)
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    search_path.cache_clear()
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(variable, raising=False)
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")


SAVED = """import torch
from mylib.acts import {what}


def loss(w):
    y = torch.sigmoid(w)
    z = {call}
    return (y.sum() + z.sum()).backward()
"""


def test_the_environment_that_is_named_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named, active = install(tmp_path / "named", {}), install(tmp_path / "active", {})
    monkeypatch.setenv("VIRTUAL_ENV", str(active))
    assert search_path(None, ".") == (str(active / SITE),)
    assert search_path(str(named), ".") == (str(named / SITE),)
    assert search_path("none", ".") == ()


def test_an_interpreter_stands_for_its_environment(tmp_path: Path) -> None:
    named = install(tmp_path / "named", {})
    (named / "bin").mkdir()
    (named / "bin" / "python").symlink_to(sys.executable)
    assert search_path(str(named / "bin" / "python"), ".") == (str(named / SITE),)


def test_the_folder_of_the_project_or_its_repository_may_have_it(tmp_path: Path) -> None:
    install(tmp_path / ".venv", {})
    assert search_path(None, str(tmp_path / "project" / "..")) == (str(tmp_path / ".venv" / SITE),)
    (tmp_path / ".git").mkdir()
    assert search_path(None, str(tmp_path / "project")) == (str(tmp_path / ".venv" / SITE),)


def test_else_it_is_where_this_tool_is_installed(tmp_path: Path) -> None:
    assert search_path(None, str(tmp_path))[:1] == search_path(sys.prefix, str(tmp_path))[:1]


def test_links_to_other_folders_are_followed_and_nothing_is_run(tmp_path: Path) -> None:
    install(tmp_path / "env", {})
    (tmp_path / "source").mkdir()
    lines = (
        f"import os; open({str(tmp_path / 'trap')!r}, 'w')\n# a comment\n{tmp_path / 'source'}\n{tmp_path / 'gone'}\n"
    )
    (tmp_path / "env" / SITE / "links.pth").write_text(lines)
    assert search_path(str(tmp_path / "env"), ".") == (str(tmp_path / "env" / SITE), str(tmp_path / "source"))
    assert not (tmp_path / "trap").exists()


def test_an_environment_that_comes_with_a_tree_does_not_lead_out_of_it(tmp_path: Path) -> None:
    (tmp_path / "tree" / "src").mkdir(parents=True)
    (tmp_path / "private").mkdir()
    (tmp_path / "tree" / ".git").mkdir()
    install(tmp_path / "tree" / ".venv", {})
    links = tmp_path / "tree" / ".venv" / SITE / "links.pth"
    links.write_text(f"{tmp_path / 'private'}\n{tmp_path / 'tree' / 'src'}\n")
    found = search_path(None, str(tmp_path / "tree"))
    assert found == (str(links.parent), str(tmp_path / "tree" / "src"))


def test_what_is_no_environment_is_a_mistake_of_the_configuration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(NoEnvironmentError, match="no Python environment at"):
        search_path(str(tmp_path / "nothing"), ".")
    file = tmp_path / "project" / "inplace-lint.toml"
    file.write_text("python = 'nothing'\n")
    with pytest.raises(ConfigError, match="`python`: no Python environment at"):
        load(file)
    with pytest.raises(SystemExit) as stopped:
        main(["--python", "nothing", "."])
    assert stopped.value.code == 2
    assert "no Python environment at" in capsys.readouterr().err


def test_the_configuration_names_it_relative_to_its_folder(tmp_path: Path) -> None:
    install(tmp_path / "project" / "env", {"mylib/acts.py": LIBRARY, "mylib/__init__.py": ""})
    file = tmp_path / "project" / "inplace-lint.toml"
    file.write_text("python = 'env'\n")
    Path("main.py").write_text(SAVED.format(what="swish", call="swish(y, inplace=True)"))
    assert [each.code for each in lint_paths(["main.py"], load(file)).diagnostics] == ["IPL202"]
    file.write_text("python = 'none'\n")
    assert not lint_paths(["main.py"], load(file)).diagnostics


@pytest.mark.parametrize(
    ("what", "call", "expected"),
    [
        ("swish", "swish(y, inplace=True)", [("IPL202", 7, "main.py")]),
        ("swish", "swish(y)", []),
        ("Gate", "Gate(inplace=True)(y)", [("IPL202", 7, "main.py")]),
        ("Gate", "Gate()(y)", []),
        ("swish", "swish(y).add_(y)", []),
    ],
)
def test_a_hazard_between_program_and_library_is_told_at_the_call(
    tmp_path: Path, what: str, call: str, expected: list[tuple[str, int, str]]
) -> None:
    env = install(tmp_path / "env", {"mylib/__init__.py": "", "mylib/acts.py": LIBRARY})
    assert found(SAVED.format(what=what, call=call), env) == expected
    assert found(SAVED.format(what=what, call=call), "none") == []


def test_the_story_shows_the_write_in_the_library(tmp_path: Path) -> None:
    env = install(tmp_path / "env", {"mylib/__init__.py": "", "mylib/acts.py": LIBRARY})
    Path("main.py").write_text(SAVED.format(what="swish", call="swish(y, inplace=True)"))
    (told,) = lint_paths(["main.py"], Config(python=str(env))).diagnostics
    assert told.message.startswith("within `mylib.acts`, `mul_` modifies `x`, the result that `sigmoid` saved")
    assert [(Path(each.path).name, each.span.row) for each in told.write_sites] == [("acts.py", 5)]
    assert told.fix is None


def test_what_a_library_saves_is_known_to_writes_of_the_program(tmp_path: Path) -> None:
    env = install(tmp_path / "env", {"mylib/__init__.py": "", "mylib/acts.py": LIBRARY})
    text = SAVED.format(what="swish", call="swish(y)\n    y += 1").replace("torch.sigmoid(w)", "w * 2")
    assert found(text, env) == [("IPL201", 8, "main.py")]
    assert found(text, "none") == []


def test_arguments_that_a_library_changes_are_told(tmp_path: Path) -> None:
    env = install(tmp_path / "env", {"mylib/__init__.py": "", "mylib/acts.py": LIBRARY})
    text = (
        "import torch\nfrom mylib.acts import scaled\n\n\n"
        "def f(batch):\n    share = scaled({})\n    return share + batch\n"
    )
    assert found(text.format("batch"), env) == [("IPL305", 6, "main.py")]
    assert found(text.format("batch.clone()"), env) == []


ROUNDS = """
import torch
from mylib.acts import Mixing, scaled


def fit(rounds: int):
    x, mixing, total = torch.rand(8, 3), Mixing(), 0.0
    for _ in range(rounds):
        total = total + CALL.sum()
    return total
"""


@pytest.mark.parametrize(
    ("call", "codes"),
    [
        ("scaled(x)", ["IPL305"]),
        ("scaled(x[:4])", ["IPL305"]),
        ("scaled(x[:4].clone())", []),
        ("mixing(x)", []),
    ],
)
def test_an_argument_that_is_changed_for_the_next_turn_of_a_loop_is_told(
    tmp_path: Path, call: str, codes: list[str]
) -> None:
    mixing = (
        "\n\nclass Mixing:\n    def __init__(self):\n        self.last = torch.zeros(3)\n\n"
        "    def __call__(self, x):\n        self.last.mul_(0.9).add_(x.mean(0))\n        return self.last * 1\n"
    )
    env = install(tmp_path / "env", {"mylib/__init__.py": "", "mylib/acts.py": LIBRARY + mixing})
    assert [code for code, _, _ in found(ROUNDS.replace("CALL", call), env)] == codes


def test_what_a_library_does_within_one_call_is_its_own_business(tmp_path: Path) -> None:
    env = install(tmp_path / "env", {"mylib/__init__.py": "", "mylib/acts.py": LIBRARY})
    assert found("import torch\nfrom mylib.acts import broken\n\n\ndef f(w):\n    return broken(w)\n", env) == []


def test_a_comment_at_the_call_suppresses_it(tmp_path: Path) -> None:
    env = install(tmp_path / "env", {"mylib/__init__.py": "", "mylib/acts.py": LIBRARY})
    text = SAVED.format(what="swish", call="swish(y, inplace=True)  # inplace-lint: ignore[IPL202]")
    assert found(text, env) == []


def test_packages_that_import_lazily_are_read_as_type_checkers_read_them(tmp_path: Path) -> None:
    many = "".join(f"    from .m{index} import *\n" for index in range(20))
    lazy = f"from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n{many}    from .gates import *\nelse:\n    load()\n"
    files = {
        "mylib/__init__.py": lazy,
        "mylib/gates/__init__.py": lazy.replace(".gates", ".acts"),
        "mylib/gates/acts.py": LIBRARY,
    }
    text = SAVED.format(what="Gate", call="Gate(inplace=True)(y)").replace("mylib.acts", "mylib")
    files["mylib/gates/__init__.py"] = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .acts import *\n"
    assert found(text, install(tmp_path / "env", files)) == [("IPL202", 7, "main.py")]


def test_files_that_are_not_about_tensors_are_not_followed(tmp_path: Path) -> None:
    env = install(
        tmp_path / "env",
        {"tables/__init__.py": "from tables.frame import Frame\n", "tables/frame.py": "class Frame: ...\n"},
    )
    found("import torch\nfrom tables import Frame\n\n\ndef f(x):\n    Frame(x)\n    x.mul_(2)\n    return x\n", env)
    read = {Path(path).name for path in analyze._shared[0].files}
    assert "frame.py" not in read


def test_a_base_that_is_not_about_tensors_is_followed_for_a_class_that_is(tmp_path: Path) -> None:
    files = {
        "mylib/__init__.py": "from .acts import Table\nimport torch\n",
        "mylib/store.py": "class Store:\n    def __init__(self):\n        self.kept = {}\n"
        "    def put(self, name, value):\n        self.kept[name] = value\n",
        "mylib/tools/__init__.py": "from ..store import Store\n",
        "mylib/acts.py": "from torch import nn\nfrom .tools import Store\n\n\nclass Table(Store):\n"
        "    def __getitem__(self, name):\n        return self.kept[name]\n\n\n"
        "ACT = Table()\nACT.put('elu', nn.ELU)\nACT.put('relu', nn.ReLU)\n",
    }
    text = (
        "import torch\nfrom mylib.acts import ACT\n\n\ndef main():\n"
        "    h = torch.tanh(torch.ones(2, requires_grad=True))\n"
        "    act = ACT['relu'](inplace=True)\n    (act(h) + h).sum().backward()\n"
    )
    env = install(tmp_path / "env", files)
    assert found(text, env) == [("IPL202", 7, "main.py")]
    assert isinstance(result(text, env), RuntimeError)


IN_A_PACKAGE = {"__init__.py": "from .acts import Gate, scaled\n", "acts.py": LIBRARY}
WHOLE = [
    ("from {} import scaled", "scaled(y)"),
    ("import {}", "{}.scaled(y)"),
    ("import {} as m", "m.Gate(inplace=True)(y)"),
    ("from {}.acts import scaled", "scaled(y)"),
    ("from {} import acts", "acts.scaled(y)"),
    ("import {}.acts", "{}.acts.scaled(y)"),
]


@pytest.mark.parametrize(
    "package", ["mylib", "transformers"]
)  # for the latter a stub is shipped, which is not all of it
@pytest.mark.parametrize(("imported", "call"), WHOLE)
def test_each_way_to_import_leads_to_the_library(tmp_path: Path, package: str, imported: str, call: str) -> None:
    env = install(tmp_path / "env", {f"{package}/{name}": text for name, text in IN_A_PACKAGE.items()})
    text = (
        f"import torch\n{imported}\n\n\ndef f(w):\n    y = torch.sigmoid(w)\n    z = {call}\n    return y * z\n"
    ).format(*[package] * 2)
    assert found(text, env) == [("IPL202", 7, "main.py")]
    assert found(text, "none") == []


def test_a_stub_comes_before_the_source_of_a_library(tmp_path: Path) -> None:
    files = {"transformers/__init__.py": "class Trainer:\n    pass\n"}
    text = (
        "import torch\nfrom transformers import Trainer\n\n\nclass Mine(Trainer):\n"
        "    def compute_loss(self, model, inputs, **options):\n"
        "        y = torch.exp(model(inputs))\n        y += 1\n        return y.sum()\n"
    )
    expected = [("IPL202", 8, "main.py")]
    assert found(text, install(tmp_path / "env", files)) == found(text, "none") == expected


def test_a_stub_comes_before_the_source_that_a_package_hands_on(tmp_path: Path) -> None:
    files = {
        "gymnasium/__init__.py": "import torch\nfrom gymnasium import vector\n",
        "gymnasium/vector/__init__.py": "import torch\n\n\nclass SyncVectorEnv:\n    pass\n",
    }
    text = (
        "import gymnasium as gym\nimport torch\n\n\ndef main(action):\n"
        "    envs = gym.vector.SyncVectorEnv([None], copy=False)\n    obs, _ = envs.reset()\n    states = []\n"
        "    for _ in range(3):\n        state = torch.from_numpy(obs)\n        obs, *_ = envs.step(action)\n"
        "        states.append(state)\n    return torch.stack(states)\n"
    )
    expected = [("IPL304", 11, "main.py")]
    assert found(text, install(tmp_path / "env", files)) == found(text, "none") == expected


@pytest.mark.parametrize(
    ("imports", "made"),
    [
        ("from gymnasium import vector", "vector.SyncVectorEnv"),
        ("from gymnasium import vector as games", "games.SyncVectorEnv"),
        ("import gymnasium.vector", "gymnasium.vector.SyncVectorEnv"),
        ("from gymnasium.vector import SyncVectorEnv", "SyncVectorEnv"),
    ],
)
@pytest.mark.parametrize("package", ["import torch\n", "import torch\nfrom . import vector\n"])
def test_a_module_with_a_stub_by_whichever_import(tmp_path: Path, imports: str, made: str, package: str) -> None:
    env = install(
        tmp_path / "env",
        {
            "gymnasium/__init__.py": package,
            "gymnasium/vector/__init__.py": "import torch\n\n\nclass SyncVectorEnv:\n    pass\n",
        },
    )
    text = (
        f"{imports}\nimport torch\n\n\ndef main(action):\n    envs = {made}([None], copy=False)\n"
        "    obs, _ = envs.reset()\n    states = []\n    for _ in range(3):\n"
        "        states.append(torch.from_numpy(obs))\n        obs, *rest = envs.step(action)\n"
        "    return torch.stack(states)\n"
    )
    assert [code for code, _, _ in found(text, env)] == ["IPL304"]


def test_what_is_installed_later_is_followed_and_then_remembered(tmp_path: Path) -> None:
    env = install(tmp_path / "env", {})
    Path("main.py").write_text(SAVED.format(what="swish", call="swish(y, inplace=True)"))

    def codes() -> tuple[list[str], bool]:
        result = lint_paths(["main.py"], Config(python=str(env)), cache="cache")
        return [each.code for each in result.diagnostics], "cache" in result.phases

    assert codes() == ([], False)
    time.sleep(0.1)  # until the file is old enough for the cache to believe its time
    install(env, {"mylib/__init__.py": "", "mylib/acts.py": LIBRARY})
    time.sleep(0.1)
    assert codes() == (["IPL202"], False)
    assert codes() == (["IPL202"], True)


def test_what_is_checked_itself_is_no_library(tmp_path: Path) -> None:
    env = install(tmp_path / "env", {"mylib/__init__.py": "", "mylib/acts.py": LIBRARY})
    file = env / SITE / "mylib" / "acts.py"
    rows = [each.site.span.row for each in lint_paths([str(file)], Config(python=str(env))).diagnostics]
    assert rows == [each.site.span.row for each in lint_paths([str(file)], Config(python="none")).diagnostics]
    assert 19 in rows


def test_another_version_of_a_library_is_read_anew(tmp_path: Path) -> None:
    env = install(tmp_path / "env", {"mylib/__init__.py": "", "mylib/acts.py": LIBRARY})
    Path("main.py").write_text(SAVED.format(what="swish", call="swish(y, inplace=True)"))

    def codes() -> list[str]:
        return [each.code for each in lint_paths(["main.py"], Config(python=str(env)), cache="cache").diagnostics]

    assert codes() == ["IPL202"]
    assert codes() == ["IPL202"]
    (env / SITE / "mylib" / "acts.py").write_text(LIBRARY.replace("x.mul_(x.sigmoid())", "x * x.sigmoid() "))
    assert codes() == []


def test_another_environment_has_other_findings(tmp_path: Path) -> None:
    env = install(tmp_path / "env", {"mylib/__init__.py": "", "mylib/acts.py": LIBRARY})
    other = install(tmp_path / "other", {})
    Path("main.py").write_text(SAVED.format(what="swish", call="swish(y, inplace=True)"))
    for python, expected in ((env, 1), (other, 0), (env, 1)):
        assert len(lint_paths(["main.py"], Config(python=str(python)), cache="cache").diagnostics) == expected


def test_why_tells_of_calls_that_were_not_followed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    env = install(tmp_path / "env", {"mylib/__init__.py": "from mylib._native import fill\n", "mylib/_native.so": ""})
    Path("main.py").write_text("import torch\nimport mylib\n\ny = torch.relu(torch.rand(3))\nz = mylib.fill(y)\n")
    for python, expected in (
        (str(env), "it is a native extension"),
        (str(install(tmp_path / "other", {})), "it is not installed in the environment"),
        ("none", "no environment is known in which it is installed"),
    ):
        with pytest.raises(SystemExit):
            main(["why", "main.py:5", "--python", python])
        assert expected in capsys.readouterr().out


def test_files_of_a_package_that_hand_on_its_objects_are_read(tmp_path: Path) -> None:
    base = "import torch\n\n\nclass Feature:\n    pass\n"
    features = (
        "import torch\nfrom ._base import Feature\nfrom ._get import get\n\n\n"
        "class Log(Feature):\n    def of(self, values):\n        values.log_()\n        return values\n\n\n"
        "class All:\n    def __init__(self, features):\n        self.features = list(map(get, features))\n\n"
        "    def of(self, values):\n        return torch.stack([each.of(values) for each in self.features])\n"
    )
    hands_on = (
        "from ._base import Feature\n\n\n"
        "def get(feature):\n    if not isinstance(feature, Feature):\n        raise TypeError\n    return feature\n"
    )
    files = {"mylib/__init__.py": "from .features import All, Log\n", "mylib/features.py": features}
    env = install(tmp_path / "env", {**files, "mylib/_base.py": base, "mylib/_get.py": hands_on})
    text = (
        "import torch\nfrom mylib import All, Log\n\n\ndef f():\n    values = torch.rand(3) + 1\n"
        "    logs = All([Log()]).of({})\n    return logs - values\n"
    )
    assert found(text.format("values"), env) == [("IPL305", 7, "main.py")]
    assert found(text.format("values.clone()"), env) == []


WRAPPERS = """from functools import wraps
import torch


def cleared(function):
    @wraps(function)
    def wrapper(*args, **kwargs):
        out = function(*args, **kwargs)
        out.detach().CLEARED
        return out

    return wrapper


def checked(function):
    @wraps(function)
    def wrapper(*args):
        return function(*map(torch.as_tensor, args))

    return wrapper
"""

WRAPPED = """import torch
from mylib import wrappers
from mylib.wrappers import checked


@checked
@wrappers.cleared
def gate(x):
    return torch.sigmoid(x)


def f():
    w = torch.rand(3, requires_grad=True)
    gate(w).sum().backward()
"""


@pytest.mark.parametrize(("cleared", "codes"), [("zero_()", ["IPL202"]), ("abs()", [])])
def test_calls_go_through_decorators_of_libraries_that_hand_on_what_they_are_given(
    tmp_path: Path, cleared: str, codes: list[str]
) -> None:
    files = {"mylib/__init__.py": "", "mylib/wrappers.py": WRAPPERS.replace("CLEARED", cleared)}
    env = install(tmp_path / "env", files)
    assert [code for code, _, _ in found(WRAPPED, env)] == codes
