"""The language server in real editors, where they are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TEXT = "import torch\n\nx = torch.randn(3, requires_grad=True)\n"
TEXT += "y = torch.sigmoid(x); 漢字 = '🙂'; y.mul_(2)\ny.sum().backward()\n"
FIXED = TEXT.split("\n")[3].replace("y.mul_(2)", "y = y.mul(2)")

NEOVIM = ["nvim", "--headless", "-u", "NONE", "-c", f"luafile {HERE / 'neovim.lua'}"]
# Where Debian puts packages; `-Q` does not look there.
PLACES = [word for place in Path("/usr/share/emacs/site-lisp/elpa-src").glob("*") for word in ("-L", str(place))]
EMACS = ["emacs", "-Q", "--batch", *PLACES]


def printed(command: list[str], folder: Path) -> str:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    (folder / "net.py").write_text(TEXT, "utf-8")
    places = {"SERVER": sys.executable, "FILE": str(folder / "net.py"), "XDG_STATE_HOME": str(folder / "state")}
    environment = {**os.environ, **places, "LC_ALL": "C.UTF-8"}
    run = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout + run.stderr


def test_neovim(tmp_path: Path) -> None:
    output = printed(NEOVIM, tmp_path)
    assert "4:" in output
    assert "IPL202 2 related" in output
    assert "IPL202: Use the out-of-place form" in output
    assert FIXED in output


def test_eglot(tmp_path: Path) -> None:
    if shutil.which("emacs") and subprocess.run([*EMACS, "-l", "eglot"], capture_output=True).returncode:
        pytest.skip("eglot is not installed")
    output = printed([*EMACS, "-l", str(HERE / "eglot.el")], tmp_path)
    assert "`mul_` modifies `y`" in output
    assert "IPL202: Use the out-of-place form" in output
    assert FIXED in output
