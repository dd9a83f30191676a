"""Runs a user's program as `python` would: its `__main__`, `sys.argv`, `sys.path[0]`."""

from __future__ import annotations

import importlib.util
import io
import os
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType


class NoProgramError(Exception):
    """There is nothing to run; the message says why."""


def script(path: str, arguments: Sequence[str]) -> Callable[[], None]:
    """What `python PATH ARGUMENTS...` would run.

    Args:
        path: a file, or a folder or zip archive with a `__main__.py`.
        arguments: the rest of `sys.argv`.

    Raises:
        NoProgramError: there is no such script.
    """
    sys.argv = [path, *arguments]
    if os.path.isdir(path) or path.endswith((".zip", ".pyz")):
        spec = PathFinder.find_spec("__main__", [path])
        if spec is None:
            raise NoProgramError(f"can't find a '__main__' module in '{path}'")
        _search_first(path)
        return _program(spec, path, None)
    whole = os.path.abspath(path)  # as Python itself makes it
    try:
        with io.open_code(path) as file:
            source = file.read()
    except OSError as error:
        raise NoProgramError(f"can't open file '{path}': {error.strerror}") from error
    _search_first(os.path.dirname(os.path.realpath(path)))
    return lambda: _execute(compile(source, whole, "exec", dont_inherit=True), _main(whole, None))


def module(name: str, arguments: Sequence[str]) -> Callable[[], None]:
    """What `python -m NAME ARGUMENTS...` would run; packages on the way to it are imported.

    Raises:
        NoProgramError: there is no such module, or it cannot be run.
    """
    sys.argv = ["-m", *arguments]
    _search_first(os.getcwd())
    spec = _find(name)
    if spec.submodule_search_locations is not None:
        spec = _find(f"{name}.__main__")
    sys.argv[0] = spec.origin or name
    return _program(spec, sys.argv[0], spec)


def _find(name: str) -> ModuleSpec:
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError) as error:
        raise NoProgramError(f"error while finding module '{name}': {error}") from error
    if spec is None:
        raise NoProgramError(f"no module named '{name}'")
    return spec


def _program(spec: ModuleSpec, file: str, own: ModuleSpec | None) -> Callable[[], None]:
    load = getattr(spec.loader, "get_code", None)

    def run() -> None:
        code = load(spec.name) if load else None
        if code is None:
            raise NoProgramError(f"no code object available for '{spec.name}'")
        _execute(code, _main(file, own))

    return run


def _search_first(folder: str) -> None:
    """Put the folder where `python` puts that of the program: in place of our own."""
    if getattr(sys.flags, "safe_path", False):  # `python -P`
        return
    sys.path[0:1] = [folder]


def _main(file: str, spec: ModuleSpec | None) -> ModuleType:
    main = ModuleType("__main__")
    main.__dict__.update(
        __file__=file,
        __spec__=spec,
        __package__=spec.parent if spec else None,
        __loader__=spec.loader if spec else SourceFileLoader("__main__", file),
        __builtins__=__builtins__,
    )
    return main


def _execute(code: CodeType, main: ModuleType) -> None:
    sys.modules["__main__"] = main
    exec(code, main.__dict__)
