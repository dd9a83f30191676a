"""Stubs as modules that run, to compare them with the libraries that they stand for."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from inplace_lint.torch_model.stubs import shipped


@cache
def ours(name: str) -> Any:
    """A stub as a module that runs."""
    stub = shipped().of(name)
    assert stub is not None
    spec = importlib.util.spec_from_file_location(f"stub_of_{name.replace('.', '_')}", stub.path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with _modules_beside(name, Path(stub.path)):
        spec.loader.exec_module(module)
    return module


@contextmanager
def _modules_beside(name: str, path: Path) -> Iterator[None]:
    """Have what a package imports of itself found among the stubs."""
    real = sys.modules.get(name)
    if real is None or path.name != "__init__.py":
        yield
        return
    before = dict(vars(real))
    inner = {each: module for each, module in sys.modules.items() if each.startswith(f"{name}.")}
    for each in inner:
        del sys.modules[each]
    real.__path__ = [str(path.parent), *real.__path__]
    try:
        yield
    finally:
        vars(real).clear()
        vars(real).update(before)
        for each in [each for each in sys.modules if each.startswith(f"{name}.")]:
            del sys.modules[each]
        sys.modules.update(inner)
