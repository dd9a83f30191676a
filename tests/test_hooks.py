"""The hook in the real pre-commit, and the action's steps in the real bash."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent

BAD = "import torch\n\nx = torch.randn(3)\ny = x * torch.sigmoid_(x)\nprint(y)\n"
GOOD = BAD.replace("sigmoid_", "sigmoid")
NOTEBOOK = {
    "cells": [
        {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}
        for source in ("import torch\nx = torch.randn(3)", "y = x * torch.sigmoid_(x)")
    ],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 4,
}


def git(folder: Path, *args: str) -> str:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *args]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This repository as it is now, as if it were committed."""
    folder = tmp_path_factory.mktemp("released")
    for name in git(ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")[:-1]:
        if (ROOT / name).is_file() and not name.startswith("tests/"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "Everything")
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "bad.py").write_text(BAD)
    (folder / "good.py").write_text(GOOD)
    (folder / "bad.ipynb").write_text(json.dumps(NOTEBOOK))
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    return folder


@pytest.mark.network
def test_pre_commit(released: Path, project: Path, tmp_path: Path) -> None:
    (shown,) = re.findall(
        r'title=".pre-commit-config.yaml"\n(.*?)```', (ROOT / "docs" / "ci.md").read_text("utf-8"), re.S
    )
    shown = shown.replace("https://REPOSITORY", str(released)).replace(
        "REF", git(released, "rev-parse", "HEAD").strip()
    )
    (project / ".pre-commit-config.yaml").write_text(shown)

    def hook(*files: str) -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ,
            "PRE_COMMIT_HOME": str(tmp_path),
            "PRE_COMMIT_COLOR": "never",
            "GITHUB_ACTIONS": "",
        }
        command = [sys.executable, "-m", "pre_commit", "run", "--files", *files]
        return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True)

    passed = hook("good.py")
    assert passed.returncode == 0, passed.stdout + passed.stderr
    assert "Passed" in passed.stdout
    failed = hook("bad.py", "good.py", "bad.ipynb")
    assert failed.returncode == 1, failed.stdout + failed.stderr
    assert "warning[IPL302]: `sigmoid_` overwrites `x`" in failed.stdout
    assert "bad.ipynb:cell 2:1:9" in failed.stdout
    (project / "pyproject.toml").write_text('[tool.inplace-lint]\nexclude = ["bad.py"]\n')
    assert hook("bad.py").returncode == 0


@dataclass(frozen=True)
class Step:
    """A script that GitHub would run for the action, where, and what is set for it."""

    script: str
    folder: str
    environment: dict[str, str]


def steps(inputs: dict[str, str], temporary: Path) -> Iterator[Step]:
    """The scripts of the action for some inputs; actions that it uses are left out."""
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    assert inputs.keys() <= action["inputs"].keys()
    values = {f"inputs.{name}": inputs.get(name, each["default"]) for name, each in action["inputs"].items()}
    values |= {"runner.temp": str(temporary), "github.action_ref": "v1"}

    def filled(text: str) -> str:
        return re.sub(r"\$\{\{ (\S+) \}\}", lambda found: values[found[1]], text)

    for step in action["runs"]["steps"]:
        if "run" in step:
            environment = {name: filled(text) for name, text in step["env"].items()}
            yield Step(step["run"], filled(step.get("working-directory", ".")), environment)


def runs(released: Path, project: Path, temporary: Path, **inputs: str) -> list[subprocess.CompletedProcess[str]]:
    """Run the action's scripts in a workspace, in the bash that GitHub uses."""
    given = {name.replace("_", "-"): text for name, text in inputs.items()}
    common = {"RUNNER_TEMP": str(temporary), "GITHUB_ACTION_PATH": str(released)}
    common |= {name: str(temporary / name.lower()) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    done = []
    for step in steps(given, temporary):
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.script]
        environment = {**os.environ, **common, **step.environment}
        run = subprocess.run(command, cwd=project / step.folder, env=environment, capture_output=True, text=True)
        done.append(run)
    return done


@pytest.mark.network
def test_action(released: Path, project: Path, tmp_path: Path) -> None:
    given = {"paths": "bad.py good.py", "args": "--select IPL3", "sarif_file": "found.sarif"}
    install, check = runs(released, project, tmp_path, **given)
    assert (install.returncode, check.returncode) == (0, 1), (install, check)
    assert check.stdout.startswith("::warning title=inplace-lint (IPL302),file=bad.py,line=4,col=9,")
    assert len(json.loads((project / "found.sarif").read_text())["runs"][0]["results"]) == 1
    assert (tmp_path / "github_output").read_text() == "findings=1\nsarif-file=./found.sarif\n"
    summary = (tmp_path / "github_step_summary").read_text().splitlines()
    assert summary[0] == "### inplace-lint: 1 problem (1 warning)"
    assert sum("IPL302" in line for line in summary) == 1
    left = {"bad.py", "good.py", "bad.ipynb", "found.sarif", ".git"}
    assert {path.name for path in project.iterdir()} == left  # nothing else is written there
    (tmp_path / "inplace-lint" / "kept").touch()
    (project / "sub").mkdir()
    (project / "sub" / "click.py").write_text("raise SystemExit('the workspace was run')\n")
    install, check = runs(released, project, tmp_path, working_directory="sub", summary="false")
    assert (install.returncode, check.returncode) == (0, 0), (install, check)
    assert (tmp_path / "inplace-lint" / "kept").exists()  # it is installed once
    assert (tmp_path / "github_output").read_text().endswith("\nfindings=0\n")
    assert len((tmp_path / "github_step_summary").read_text().splitlines()) == len(summary)
    _, check = runs(released, project, tmp_path, args="--no-such-option")
    assert check.returncode == 2
    assert "--no-such-option" in check.stderr


def test_the_action_is_one_that_github_accepts() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-actions", "action.yml"]
    subprocess.run(command, cwd=ROOT, check=True)
