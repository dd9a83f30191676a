"""Builds wheels whose hot modules are compiled, where that is possible. What the package is, `pyproject.toml` says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel

HOME = Path(__file__).resolve().parent
sys.path.insert(0, str(HOME / "building"))

from compiled import compile_package  # noqa: E402


class Wheel(bdist_wheel):
    """A wheel with compiled modules beside their sources; of sources alone where they cannot be compiled."""

    def run(self) -> None:
        """Compile, then pack."""
        with tempfile.TemporaryDirectory() as folder:
            libraries = self._compiled(Path(folder))
            if libraries:
                self.root_is_pure = False
                self.distribution.has_ext_modules = lambda: True
            target = Path(self.get_finalized_command("build").build_lib)
            shutil.rmtree(target, ignore_errors=True)  # libraries of an earlier build
            self.run_command("build")
            for library in libraries:
                shutil.copy2(Path(folder, library), target / library)
        super().run()

    def _compiled(self, folder: Path) -> list[Path]:
        if os.environ.get("INPLACE_LINT_PURE", "0") not in ("", "0"):
            print("inplace-lint: pure Python, as INPLACE_LINT_PURE asks")
            return []
        try:
            libraries = compile_package(HOME / "inplace_lint", folder)
        except (OSError, subprocess.CalledProcessError) as error:
            print((getattr(error, "stdout", None) or "")[-2000:])
            print(f"inplace-lint: pure Python, since compiling failed: {error}")
            return []
        print(f"inplace-lint: compiled {len(libraries)} modules")
        return libraries


setup(cmdclass={"bdist_wheel": Wheel})
