"""A package within another one that is named after the library that it wraps imports that, and not itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint import lint_paths

_NORMS = """
import torch


def scaled(x: torch.Tensor):
    spread = x.exp()
    spread.mul_(2)
    return spread
"""
_USER = """
import torch
import norms


def main():
    x = torch.ones(3, requires_grad=True)
    norms.scaled(x).sum().backward()
"""


def _found(root: Path, files: dict[str, str]) -> list[tuple[str, str]]:
    for place, text in files.items():
        path = root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return sorted((each.site.path, each.severity) for each in lint_paths(["."]).diagnostics if each.severity != "info")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_wrapper(tmp_path: Path) -> None:
    files = {"pkg/__init__.py": "", "pkg/norms/__init__.py": _NORMS, "pkg/norms/user.py": _USER}
    assert _found(tmp_path, files) == [("pkg/norms/__init__.py", "warning")]


def test_a_package_of_its_own(tmp_path: Path) -> None:
    files = {"norms/__init__.py": _NORMS, "norms/user.py": _USER}
    assert _found(tmp_path, files) == [("norms/__init__.py", "error")]


def test_a_file_beside_it(tmp_path: Path) -> None:
    files = {"pkg/__init__.py": "", "pkg/user.py": _USER, "pkg/norms.py": _NORMS}
    assert _found(tmp_path, files) == [("pkg/norms.py", "error")]
