"""Stubs: programs that are read in place of libraries.

A stub says in Python what a library does to tensors, as a row of the op table does in its own format. It is interpreted
as if it belonged to the program that is checked, and findings in it are reported where the program calls it; nothing
imports or runs it. Its path names the module: `mylib/sub.py` for `mylib.sub`, `mylib/__init__.py` for
`mylib` and for those of its modules that have no stub of their own. A name that a stub does not define has the same
meaning as without the stub.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path

# What they may use beside Python and PyTorch.
INTRINSICS = "inplace_lint.intrinsics"
# The method of a class by which a framework drives the objects of classes that derive from it.
DRIVER = "__driven__"

_FOLDER = Path(__file__).parent / "programs"


@dataclass(frozen=True, slots=True)
class Stub:
    """A program that stands for a library.

    Args:
        module: the module that it stands for.
        path: where it was read.
        text: its source.
        given: it is the user's, and wins over the library's own source.
    """

    module: str
    path: str
    text: str
    given: bool = False


class Stubs:
    """The stubs of a program, by module; of two for one module the later one."""

    def __init__(self, stubs: Iterable[Stub]) -> None:
        self._by_module = {stub.module: stub for stub in stubs}
        self._by_path = {stub.path: stub for stub in self._by_module.values()}
        self._found: dict[str, Stub | None] = {}

    def of(self, module: str) -> Stub | None:
        """The stub in which the names of a module are defined, if there is one."""
        if module not in self._found:
            self._found[module] = self._by_module.get(module) or self._around(module)
        return self._found[module]

    def _around(self, module: str) -> Stub | None:
        package = self.of(module.rpartition(".")[0]) if "." in module else None
        return package if package is not None and package.path.endswith("__init__.py") else None

    def at(self, path: str) -> Stub | None:
        """The stub that was read at a path."""
        return self._by_path.get(path)

    def extended(self, more: Iterable[Stub]) -> Stubs:
        """These and others, which win."""
        return Stubs([*self._by_module.values(), *more])


def module_at(place: Path) -> str:
    """The module that a stub stands for, by its path within a folder of stubs."""
    parts = place.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def shipped() -> Stubs:
    """The stubs that are shipped with the package."""
    places = sorted(_FOLDER.rglob("*.py"))
    return Stubs(Stub(module_at(place.relative_to(_FOLDER)), str(place), place.read_text("utf-8")) for place in places)


_in_force: ContextVar[Stubs | None] = ContextVar("stubs", default=None)


def in_force() -> Stubs:
    """The stubs in force: those that are shipped, unless `using` says otherwise."""
    return _in_force.get() or shipped()


@contextmanager
def using(other: Stubs) -> Iterator[None]:
    """Put other stubs in force, in this thread."""
    token = _in_force.set(other)
    try:
        yield
    finally:
        _in_force.reset(token)
