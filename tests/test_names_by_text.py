"""Modules asked for by text, and names in them: the linter finds the class that Python finds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from inplace_lint import lint_paths

NETS = """
import torch
from torch import nn


class Free(nn.Module):
    def __init__(self):
        super().__init__()
        self.taps = nn.Parameter(torch.ones(3))

    def rows(self):
        return self.taps


class Fixed(Free):
    def rows(self):
        return self.taps.exp()
"""

WAYS = {
    "a module": 'importlib.import_module("banks.nets").{name}()',
    "a module beside it": 'importlib.import_module(".nets", package=__package__).{name}()',
    "by the registry of modules": 'sys.modules["banks.nets"].{name}()',
    "this module": "getattr(sys.modules[__name__], {name!r})()",
    "this module imported again": "importlib.import_module(__name__).{name}()",
    "by vars": "vars(importlib.import_module('banks.nets'))[{name!r}]()",
    "by getattr, of two": "getattr(nets, 'Loose', nets.{name})()",
    "by dir": "[getattr(nets, each) for each in dir(nets) if each == {name!r}][0]()",
}


@pytest.mark.parametrize("name", ["Free", "Fixed"])
@pytest.mark.parametrize("way", WAYS)
def test_module_asked_for_by_text(tmp_path: Path, way: str, name: str) -> None:
    package = tmp_path / "banks"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "nets.py").write_text(NETS)
    main = package / "main.py"
    main.write_text(
        "import importlib\nimport sys\n\nfrom banks import nets\nfrom banks.nets import Fixed, Free\n\n"
        f"bank = {WAYS[way].format(name=name)}\nbank.rows().mul_(2)\n"
    )
    ran = subprocess.run([sys.executable, "-m", "banks.main"], cwd=tmp_path, capture_output=True, text=True)
    raises = "a leaf Variable that requires grad" in ran.stderr
    assert (ran.returncode != 0) == raises == (name == "Free"), ran.stderr
    found = [each.code for each in lint_paths([tmp_path], jobs=1).diagnostics]
    assert found == (["IPL101"] if raises else [])
