"""Whatever way the tool is started, it runs nothing of the tree that it checks."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
import yaml

from inplace_lint.search_path import outside

ROOT = Path(__file__).parent.parent
HAZARD = "import torch\n\nx = torch.randn(3)\ny = x * torch.sigmoid_(x)\n"
CANARY = "import os\nwith open(os.environ['CANARIES'], 'a') as log:\n    print(__name__, __file__, file=log)\n"

# What the tool, its dependencies and pip import, besides the standard library.
OTHERS = (
    *("click", "libcst", "pathspec", "yaml", "typing_extensions", "tomli", "tomllib", "evil", "conftest", "setup"),
    *("pip", "setuptools", "wheel", "mypy", "torch", "numpy", "sitecustomize", "usercustomize", "inplace_lint_rules"),
)
EVERYTHING = {*OTHERS, *sys.stdlib_module_names} - {*sys.builtin_module_names}

DRIVER = """
import sys
from inplace_lint.__main__ import main

if __name__ == "__main__":
    from inplace_lint import search_path
    search_path.close()
    import multiprocessing
    from inplace_lint.pipeline import pool
    pool._context = lambda: multiprocessing.get_context({method!r})
    main()
"""


def bait(folder: Path, names: Iterable[str], groups: Iterable[str]) -> None:
    """Modules that tell if they are run, as files and packages; a distribution that announces one; some findings."""
    folder.mkdir()
    for name in names:
        (folder / f"{name}.py").write_text(CANARY)
        if name in OTHERS:
            (folder / name).mkdir()
            (folder / name / "__init__.py").write_text(CANARY)
            (folder / name / "__main__.py").write_text(CANARY)
    (folder / "evil-1.0.dist-info").mkdir()
    (folder / "evil-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
    announced = "".join(f"[{group}]\nIPL777 = evil\n" for group in groups)
    (folder / "evil-1.0.dist-info" / "entry_points.txt").write_text(announced)
    (folder / "inplace-lint.toml").write_text('extend-select = ["IPL5"]\n')
    (folder / "checked").mkdir()
    for number in range(9):  # enough for several processes
        (folder / "checked" / f"file{number}.py").write_text(HAZARD)


def run(folder: Path, *command: str, **environment: str) -> str:
    """What a command prints, once it is sure that it ran no canary."""
    log = folder.parent / "canaries"
    log.write_text("")
    known = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "GITHUB"))}
    done = subprocess.run(
        command,
        cwd=folder,
        env={**known, "CANARIES": str(log), **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert log.read_text() == "", done.stderr
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout


GROUPS = ("inplace_lint.rules", "flake8.extension", "console_scripts")
MODULE = (sys.executable, "-m", "inplace_lint")
SCRIPT = (sys.executable, str(Path(sys.executable).parent / "inplace-lint"))
CHECK = ("check", "--jobs", "2", "--output-format", "concise", "checked")


@pytest.mark.parametrize("start", [MODULE, SCRIPT], ids=["module", "script"])
def test_nothing_of_the_working_folder_is_run(tmp_path: Path, start: tuple[str, ...]) -> None:
    if not Path(start[1]).exists() and start is SCRIPT:
        pytest.skip("the script is not beside Python")
    bait(tmp_path / "tree", EVERYTHING, GROUPS)
    assert run(tmp_path / "tree", *start, *CHECK).count("IPL302") == 9
    for others in (
        ["rules"],
        ["rule", "IPL302"],
        ["config"],
        ["--diff", "checked"],
        ["clean"],
        ["baseline", "checked"],
    ):
        run(tmp_path / "tree", *start, *others)


@pytest.mark.parametrize(
    ("start", "path"),
    [
        *((MODULE, path) for path in ("", ".", ":", "src/..", "{here}", "checked:.:{here}/checked")),
        (SCRIPT, ".:{here}"),
    ],
)
def test_nor_if_the_environment_names_it(tmp_path: Path, start: tuple[str, ...], path: str) -> None:
    # Python itself runs `sitecustomize` from there, and the standard library's names before the tool has begun.
    names = [name for name in OTHERS if name not in ("sitecustomize", "usercustomize", "tomllib")]
    bait(tmp_path / "tree", names, GROUPS)
    found = run(tmp_path / "tree", *start, *CHECK, PYTHONPATH=path.format(here=tmp_path / "tree"))
    assert found.count("IPL302") == 9


def test_nor_from_elsewhere(tmp_path: Path) -> None:
    bait(tmp_path / "tree", [name for name in OTHERS if "custom" not in name and name != "tomllib"], GROUPS)
    (tmp_path / "elsewhere").mkdir()
    command = (*MODULE, "--output-format", "concise", str(tmp_path / "tree" / "checked"), str(tmp_path / "tree"))
    assert "IPL302" in run(tmp_path / "elsewhere", *command, PYTHONPATH=str(tmp_path / "tree"))


def test_nor_from_beside_a_file_that_is_named(tmp_path: Path) -> None:
    bait(tmp_path / "tree", [name for name in OTHERS if "custom" not in name and name != "tomllib"], GROUPS)
    (tmp_path / "tree" / "named.py").write_text(HAZARD)
    (tmp_path / "elsewhere").mkdir()
    command = (*MODULE, "--output-format", "concise", "../tree/named.py", "../tree/click.py")
    assert "IPL302" in run(tmp_path / "elsewhere", *command, PYTHONPATH=str(tmp_path / "tree"))


def test_nor_if_the_environment_names_the_standard_library_first(tmp_path: Path) -> None:
    bait(tmp_path / "tree", [name for name in OTHERS if "custom" not in name and name != "tomllib"], GROUPS)
    path = os.pathsep.join([os.path.dirname(os.__file__), "."])
    assert run(tmp_path / "tree", *MODULE, *CHECK, PYTHONPATH=path).count("IPL302") == 9


@pytest.mark.parametrize(
    "method",
    [
        "fork",
        pytest.param("spawn", marks=pytest.mark.skipif(sys.version_info < (3, 11), reason="needs PYTHONSAFEPATH")),
    ],
)
def test_nor_in_processes(tmp_path: Path, method: str) -> None:
    bait(tmp_path / "tree", EVERYTHING, GROUPS)
    (tmp_path / "driver.py").write_text(DRIVER.format(method=method))
    found = run(tmp_path / "tree", sys.executable, str(tmp_path / "driver.py"), *CHECK)
    assert found.count("IPL302") == 9


def test_nor_by_the_plug_in(tmp_path: Path) -> None:
    """`python -m flake8` takes modules from the working folder; the plug-in takes none besides."""
    bait(tmp_path / "tree", [*OTHERS, "difflib", "cProfile", "decimal"], GROUPS[:1])
    command = (sys.executable, "-m", "flake8", "--isolated", "--select=IPL", "--jobs=2", "checked")
    assert run(tmp_path / "tree", *command).count("IPL302") == 9


def test_nor_by_the_action(tmp_path: Path) -> None:
    """The steps as they are, but that pip is to fetch nothing."""
    action = tmp_path / "action"
    action.mkdir()
    for name in ("inplace_lint", "building", "rules"):
        shutil.copytree(ROOT / name, action / name, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    for name in ("LICENSE", "MANIFEST.in", "README.md", "pyproject.toml", "setup.py"):
        shutil.copy(ROOT / name, action / name)
    bait(tmp_path / "tree", EVERYTHING, GROUPS)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (tmp_path / "bin" / "python3").chmod(0o755)
    offline = {"PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0"}
    common = {
        "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_ACTION_PATH": str(action),
        "VERSION": "",
        "PATHS": "checked",
        "ARGS": "",
        "DIRECTORY": ".",
        "SARIF_FILE": "found.sarif",
        "SUMMARY": "true",
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        **offline,
    }
    said = []
    for step in yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["runs"]["steps"]:
        if "run" not in step:
            continue
        found = {name: text for name, text in step["env"].items() if name == "PYTHONPATH"}
        environment = {name: text.replace("${{ runner.temp }}", str(tmp_path)) for name, text in found.items()}
        command = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"])
        said.append(run(tmp_path / "tree", *command, **common, **environment))
    assert said[-1].count("::warning") == 9
    assert (tmp_path / "tree" / "found.sarif").exists()


def test_what_is_installed_stays_in_the_search_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    library = os.path.dirname(os.__file__)
    here, venv, other = str(tmp_path), str(tmp_path / ".venv"), str(tmp_path.parent / "other")
    assert outside([here, "", ".", "src", other, library, venv, here], []) == [other, library, venv, here]
    os.makedirs(other, exist_ok=True)
    assert outside([here, other, f"{other}/in", library], [other]) == [library]
    assert outside([f"{here}x", str(ROOT), library], [str(ROOT)]) == [f"{here}x", str(ROOT), library]


def test_python_itself_is_never_part_of_the_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    library = os.path.dirname(os.path.realpath(os.__file__))
    native, strange = os.path.join(library, "lib-dynload"), os.path.join(os.path.dirname(library), "strange")
    for tree in (os.path.dirname(library), os.sep):
        monkeypatch.chdir(tree)
        assert outside(["", strange, library, native], [])[-2:] == [library, native]
        assert "" not in outside(["", strange, library, native], [])
