"""Python imports this as it starts, in the processes that a program under `inplace-lint run` starts.

It waits for PyTorch, as most processes never import it, and begins to record there.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

_HERE = os.path.dirname(os.path.abspath(__file__))


class _BeginWithTorch:
    """Begins to record as soon as torch is there."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find torch, and add to what its import does."""
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                execute(module)
                _begin()

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def _begin() -> None:
    try:
        from inplace_lint.runtime.child import begin
    except ImportError:  # another environment, without this package
        return
    begin()


def _hidden() -> None:
    """Run the module of this name that would have been found without this one."""
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder) != _HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


if os.environ.get("INPLACE_LINT_CHILDREN"):
    sys.meta_path.insert(0, _BeginWithTorch())
    _hidden()
