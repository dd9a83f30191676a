"""The plug-in, in the real flake8."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HAZARD = """\
# -*- coding: latin-1 -*-
import torch

x = torch.randn(3)
name = "caf\u00e9"; y = x * torch.sigmoid_(x)  # {comment}
print(name, y)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text(HAZARD.format(comment="here"), "latin-1", newline="\r\n")
    (tmp_path / "noqa.py").write_text(HAZARD.format(comment="noqa: IPL302"), "latin-1")
    (tmp_path / "own.py").write_text(HAZARD.format(comment="inplace-lint: ignore[IPL302] meant"), "latin-1")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "b.py").write_text(HAZARD.format(comment="here"), "latin-1")
    (tmp_path / "pyproject.toml").write_text('[tool.inplace-lint]\nper-file-ignores = {"tests/*" = ["IPL3"]}\n')
    return tmp_path


def flake8(folder: Path, *args: str, text: str | None = None) -> list[str]:
    command = [sys.executable, "-m", "flake8", "--isolated", "--select=IPL,E9", *args]
    run = subprocess.run(command, cwd=folder, input=text, capture_output=True, encoding="utf-8")
    assert not run.stderr, run.stderr
    return run.stdout.splitlines()


FOUND = "5:24: IPL302 `sigmoid_` overwrites `x`, which the same expression reads"


def test_findings_configuration_and_comments(project: Path) -> None:
    assert flake8(project, ".") == [f"./a.py:{FOUND}"]


def test_noqa_is_left_to_flake8(project: Path) -> None:
    assert flake8(project, "--disable-noqa", "noqa.py", "own.py") == [f"noqa.py:{FOUND}", f"own.py:{FOUND}"]
    assert flake8(project, "--extend-ignore=IPL302", "--disable-noqa", "noqa.py") == []


def test_standard_input_and_calls_into_other_files(project: Path) -> None:
    (project / "layers.py").write_text("import torch\n\n\ndef act(t):\n    t.relu_()\n    return t * 2\n")
    text = "import torch\nfrom layers import act\n\nx = torch.randn(3)\ny = act(x)\nz = x + y\nprint(z)\n"
    assert flake8(project, "--stdin-display-name=main.py", "-", text=text) == [
        "main.py:5:5: IPL305 `relu_` modifies `t`, an argument that the caller reads again (in layers.py:5)"
    ]


def test_a_finding_in_another_file_stands_at_the_call(project: Path) -> None:
    """Rather than at the save, which is further up in this file."""
    (project / "gates.py").write_text("def gate(t):\n    t.mul_(2)\n")
    text = (
        "import torch\nfrom gates import gate\n\nx = torch.randn(3, requires_grad=True)\n"
        "y = torch.sigmoid(x)\ngate(y)\ny.sum().backward()\n"
    )
    (project / "main.py").write_text(text)
    (line,) = flake8(project, "main.py")
    assert line.startswith("main.py:6:1: IPL202 ")
    assert line.endswith("(in gates.py:2)")


def test_a_mistake_in_the_configuration_is_told(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.inplace-lint]\nselct = []\n")
    (line,) = flake8(project, "a.py")
    assert line.startswith("a.py:1:1: IPL902 ")
    assert "unknown key `selct`" in line
