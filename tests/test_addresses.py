"""The findings do not depend on where Python puts objects: an object that died may leave its address to another one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CASES = Path(__file__).parent / "cases"
FILES = ["arrays_collected_again.py", "kept_twice.py", "states_of_objects.py"]


def _checked(allocator: str) -> str:
    command = [sys.executable, "-m", "inplace_lint", "check", "--isolated", "--no-cache", "--python", "none", "-j", "1"]
    environment = {**os.environ, "PYTHONMALLOC": allocator}
    paths = [str(CASES / name) for name in FILES]
    done = subprocess.run(
        [*command, "--output-format", "json", *paths], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 1, done.stderr
    return done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="the allocator cannot be chosen there")
def test_another_allocator_changes_nothing() -> None:
    assert _checked("malloc") == _checked("pymalloc")
