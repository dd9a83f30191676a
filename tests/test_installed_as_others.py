"""Installed beside the libraries of a program, the linter's own files are still none of these."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import inplace_lint

PROGRAM = """\
import torch
from tensordict import TensorDict


def stacked(x: torch.Tensor):
    frames = [TensorDict({"place": torch.ones(2, 3)}, batch_size=[2]) for _ in range(3)]
    path = torch.stack(frames, 1)
    path["reward"] = x
    reward = path["reward"]
    reward.add_(1)
    return x.sum()
"""


def test_programs_about_libraries_are_followed_wherever_they_lie(tmp_path: Path) -> None:
    package = Path(inplace_lint.__file__).parent
    site = tmp_path / "site-packages"
    left = shutil.ignore_patterns("__pycache__", ".mypy_cache")
    shutil.copytree(package, site / "inplace_lint", ignore=left)
    if not (site / "inplace_lint" / "rules").exists():
        shutil.copytree(package.parent / "rules", site / "inplace_lint" / "rules", ignore=left)
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, "-m", "inplace_lint", "check", "--no-cache", "--isolated", "--python", sys.executable]
    ran = subprocess.run(
        [*command, "--output-format", "concise", str(program)],
        env={**os.environ, "PYTHONPATH": str(site)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "program.py:10:5: warning[IPL303]" in ran.stdout, ran.stdout + ran.stderr
