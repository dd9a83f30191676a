"""The hook in the real pre-commit, and the action's steps in the real bash."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
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
# Compiling takes minutes, and has tests of its own.
PURE = {"INPLACE_LINT_PURE": "1"}


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
            **PURE,
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


def commands(inputs: dict[str, str], temporary: str) -> Iterator[tuple[str, dict[str, str]]]:
    """What GitHub would run for the action: scripts, and their environments."""
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    assert inputs.keys() <= action["inputs"].keys()
    values = {f"inputs.{name}": inputs.get(name, each["default"]) for name, each in action["inputs"].items()}
    values["runner.temp"] = temporary
    for step in action["runs"]["steps"]:
        condition = re.fullmatch(r"(\S+) != ''", step.get("if", "'always' != ''"))
        assert condition
        if values.get(condition[1], condition[1]):
            environment = step["env"].items()
            yield (
                step["run"],
                {name: re.sub(r"\$\{\{ (\S+) \}\}", lambda m: values[m[1]], text) for name, text in environment},
            )


@pytest.mark.network
def test_action(released: Path, project: Path, tmp_path: Path) -> None:
    inputs = {"paths": "bad.py good.py", "args": "--select IPL3", "sarif-file": "found.sarif"}
    common = {**os.environ, **PURE, "RUNNER_TEMP": str(tmp_path), "GITHUB_ACTION_PATH": str(released)}
    outcomes = []
    for script, environment in commands(inputs, str(tmp_path)):
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
        run = subprocess.run(command, cwd=project, env={**common, **environment}, capture_output=True, text=True)
        outcomes.append((run.returncode, run.stdout, run.stderr))
    assert [status for status, _, _ in outcomes] == [0, 0, 1], outcomes
    assert outcomes[-1][1].startswith("::warning title=inplace-lint (IPL302),file=bad.py,line=4,col=9,")
    assert len(json.loads((project / "found.sarif").read_text())["runs"][0]["results"]) == 1


def test_the_action_is_one_that_github_accepts() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-actions", "action.yml"]
    subprocess.run(command, cwd=ROOT, check=True)
