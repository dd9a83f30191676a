"""The language server in real editors, where they are installed; NEOVIM names another `nvim` than that on the PATH."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TEXT = "import torch\n\nx = torch.randn(3, requires_grad=True)\n"
TEXT += "y = torch.sigmoid(x); 漢字 = '🙂'; y.mul_(2)\ny.sum().backward()\n"


def fixed(text: str) -> str:
    """The line with the finding, without it."""
    return text.split("\n")[3].replace("y.mul_(2)", "y = y.mul(2)")


# Where Debian puts packages; `-Q` does not look there.
PLACES = [word for place in Path("/usr/share/emacs/site-lisp/elpa-src").glob("*") for word in ("-L", str(place))]
EMACS = ["emacs", "-Q", "--batch", *PLACES]


def documented(language: str) -> list[str]:
    """The settings in this language that the documentation gives."""
    text = (HERE.parent / "docs" / "editors.md").read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def printed(command: list[str], folder: Path, settings: str, text: str = TEXT) -> str:
    (folder / "net.py").write_text(text, "utf-8")
    (folder / "settings").write_text(settings, "utf-8")
    search = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    places = {"PATH": search, "FILE": str(folder / "net.py"), "SETTINGS": str(folder / "settings")}
    environment = {**os.environ, **places, "LC_ALL": "C.UTF-8"}
    for name in ("XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        environment[name] = str(folder / "home")
    run = subprocess.run(command, env=environment, cwd=folder, capture_output=True, encoding="utf-8", timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout + run.stderr


def test_neovim(tmp_path: Path) -> None:
    program = os.environ.get("NEOVIM", "nvim")
    if shutil.which(program) is None:
        pytest.skip("nvim is not installed")
    version = re.match(r"NVIM v0\.(\d+)", subprocess.run([program, "--version"], capture_output=True, text=True).stdout)
    assert version is not None
    newer, older = documented("lua")
    settings = newer if int(version[1]) >= 11 else older
    command = [program, "--headless", "-u", str(tmp_path / "init.lua"), "-c", f"luafile {HERE / 'neovim.lua'}"]
    (tmp_path / "init.lua").write_text(settings, "utf-8")
    output = printed(command, tmp_path, settings)
    assert "4:" in output
    assert "IPL202 2 related" in output
    assert "IPL202: Use the out-of-place form" in output
    assert fixed(TEXT) in output


@pytest.mark.parametrize("client", ["eglot", "lsp-mode"])
def test_emacs(client: str, tmp_path: Path) -> None:
    if shutil.which("emacs") is None:
        pytest.skip("emacs is not installed")
    if subprocess.run([*EMACS, "-l", client], capture_output=True).returncode:
        pytest.skip(f"{client} is not installed")
    (settings,) = (each for each in documented("elisp") if f"'{client}" in each)
    program = HERE / f"{client.replace('-', '')}.el"
    text = TEXT.replace("🙂", "") if client == "lsp-mode" else TEXT  # which counts characters, not UTF-16
    output = printed([*EMACS, "-l", str(program)], tmp_path, settings, text)
    assert "`mul_` modifies `y`" in output
    assert "IPL202: Use the out-of-place form" in output
    assert fixed(text) in output
