"""Virtual environments to measure in: one for inplace-lint as users install it, one for each peer."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# All that is needed is named, so that nothing else comes in. TorchFix wants this libcst, and no PyTorch.
FLAKE8 = ("flake8==7.5.0", "mccabe==0.7.0", "pycodestyle==2.15.0", "pyflakes==4.1.0")
PEERS = {
    "flake8": (*FLAKE8, "ruff==0.17.5"),
    "torchfix": (*FLAKE8, "torchfix==0.7.0", "libcst==1.5.1", "pyyaml==6.0.3"),
}


def peer(name: str, into: Path) -> str:
    """The Python of an environment with these peers, made anew if it should hold something else."""
    folder = into / f"venv-{name}"
    python, made = folder / "bin" / "python", folder / "made-of.txt"
    wanted = "\n".join([sys.version, *PEERS[name]])
    if not made.exists() or made.read_text() != wanted:
        venv.create(folder, clear=True)
        install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
        install += ["--no-deps", "--only-binary", ":all:", "--disable-pip-version-check"]
        subprocess.run([*install, *PEERS[name]], check=True)
        made.write_text(wanted)
    return str(python)


def own(into: Path, pure: bool = False) -> str:
    """The command of inplace-lint, installed from this checkout: compiled, or `pure`."""
    folder = into / f"venv-own-{'pure' if pure else 'compiled'}"
    venv.create(folder, clear=True, with_pip=True)
    environment = {**os.environ, "INPLACE_LINT_COMPILE": "" if pure else "1"}
    install = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", str(ROOT)]
    subprocess.run(install, check=True, env=environment)
    return str(folder / "bin" / "inplace-lint")
