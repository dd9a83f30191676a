"""Builds wheels, with hot modules compiled if `INPLACE_LINT_COMPILE=1`. What the package is, `pyproject.toml` says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.errors import CompileError

HOME = Path(__file__).resolve().parent
sys.path.insert(0, str(HOME / "building"))

from compiled import check_compiler, compile_package  # noqa: E402

IS_COMPILED = os.environ.get("INPLACE_LINT_COMPILE", "0") not in ("", "0")


class Wheel(bdist_wheel):
    """A wheel of sources; with compiled modules beside them where that is asked for."""

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
                shutil.copy2(Path(folder, library), target / library.relative_to("build"))
        super().run()

    def _compiled(self, folder: Path) -> list[Path]:
        if not IS_COMPILED:
            return []
        try:
            check_compiler(folder)
            libraries = compile_package(HOME / "inplace_lint", folder / "build")
        except (OSError, subprocess.CalledProcessError, CompileError) as error:
            raise SystemExit(f"{(getattr(error, 'stdout', None) or '')[-2000:]}{_FAILED}{error}") from error
        print(f"inplace-lint: compiled {len(libraries)} modules")
        return [Path("build", library) for library in libraries]


_FAILED = "inplace-lint: cannot be compiled, as INPLACE_LINT_COMPILE asks: "

setup(cmdclass={"bdist_wheel": Wheel}, setup_requires=["mypy==2.4.1"] if IS_COMPILED else [])
