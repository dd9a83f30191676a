"""The files of a program: what each defines at its top, and how imports find one another.

Nothing is imported or executed to find out: files are read and parsed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import PurePath

from inplace_lint.source import ir
from inplace_lint.source.errors import SourceError

Load = Callable[[str], str | None]
Lower = Callable[[str, str], ir.Module]

_LIBRARIES = frozenset({"torch", "numpy", "math", "functools", "copy", "collections", "typing", "os", "itertools"})


@dataclass(slots=True, eq=False)
class ModuleFile:
    """A file of the program.

    Args:
        path: as the user gave it.
        code: its `ir`.
        bindings: the statement that binds each top-level name, the first one if several do.
        program: the program that it belongs to.
    """

    path: str
    code: ir.Module
    program: Program
    bindings: dict[str, ir.Stmt] = field(default_factory=dict)
    stars: list[ir.ImportFrom] = field(default_factory=list)

    def __post_init__(self) -> None:
        for statement in flat(self.code.body):
            for name in _bound_names(statement):
                self.bindings.setdefault(name, statement)
            if isinstance(statement, ir.ImportFrom) and ("*", "*") in statement.names:
                self.stars.append(statement)


def flat(body: tuple[ir.Stmt, ...]) -> Iterator[ir.Stmt]:
    """Top-level statements, those under `if` and `try` included."""
    for statement in body:
        yield statement
        if isinstance(statement, ir.If):
            yield from flat(statement.body + statement.orelse)
        elif isinstance(statement, ir.Try):
            handlers = tuple(inner for _, handler in statement.handlers for inner in handler)
            yield from flat(statement.body + statement.orelse + handlers + statement.final)
        elif isinstance(statement, ir.With):
            yield from flat(statement.body)


def _bound_names(statement: ir.Stmt) -> Iterator[str]:
    if isinstance(statement, ir.FunctionDef):
        yield statement.function.name
    elif isinstance(statement, (ir.ClassDef, ir.Import)):
        yield statement.name
    elif isinstance(statement, ir.ImportFrom):
        yield from (alias for _, alias in statement.names if alias != "*")
    elif isinstance(statement, ir.Assign):
        for target in statement.targets:
            yield from _target_names(target)


def _target_names(target: ir.Expr) -> Iterator[str]:
    if isinstance(target, ir.Name):
        yield target.id
    elif isinstance(target, ir.Sequence):
        for item in target.items:
            yield from _target_names(item.value if isinstance(item, ir.Starred) else item)


@dataclass(slots=True, eq=False)
class Program:
    """The files met so far, by path. `load` gives the text of a file, or None."""

    load: Load
    lower: Lower
    files: dict[str, ModuleFile | None] = field(default_factory=dict)
    found: dict[tuple[str, int, str], ModuleFile | None] = field(default_factory=dict)

    def file(self, path: str, text: str | None = None) -> ModuleFile | None:
        """The file at `path`; None if there is none or it is not Python."""
        if path not in self.files:
            self.files[path] = None
            text = self.load(path) if text is None else text
            if text is not None:
                with suppress(SourceError):
                    self.files[path] = ModuleFile(path, self.lower(text, path), self)
        return self.files[path]

    def add(self, path: str, text: str) -> ModuleFile:
        """Parse a file. Raises SourceError."""
        module = ModuleFile(path, self.lower(text, path), self)
        self.files[path] = module
        return module

    def find(self, module: str, level: int, importer: str) -> ModuleFile | None:
        """The file that `from <dots>module import ...` in the file `importer` means."""
        asked = (module, level, str(PurePath(importer).parent))
        if asked not in self.found:
            self.found[asked] = self._find(module, level, PurePath(importer).parent)
        return self.found[asked]

    def _find(self, module: str, level: int, folder: PurePath) -> ModuleFile | None:
        parts = tuple(part for part in module.split(".") if part)
        if level:
            for _ in range(level - 1):
                folder = folder.parent
            return self._at(folder, parts)
        if not parts or parts[0] in _LIBRARIES:
            return None
        absolute = PurePath(os.path.abspath(folder))
        for root in (absolute, *absolute.parents):
            if not folder.is_absolute():
                # As the user would spell it, so that one file has one name.
                root = PurePath(os.path.relpath(root))
            for base in (root, root / "src"):
                found = self._at(base, parts)
                if found is not None:
                    return found
        return None

    def _at(self, folder: PurePath, parts: tuple[str, ...]) -> ModuleFile | None:
        package = self.file(str(folder.joinpath(*parts, "__init__.py")))
        if package is not None or not parts:
            return package
        return self.file(str(folder.joinpath(*parts).with_suffix(".py")))
