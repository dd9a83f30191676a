"""Which functions and classes of a package programs may call, and the names under which these can be imported."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from inplace_lint.interpret.analysis.entries import Entry
from inplace_lint.interpret.state.program import ModuleFile, Program
from inplace_lint.interpret.state.top_statements import flat
from inplace_lint.modelling.package import Package
from inplace_lint.source import ir
from inplace_lint.source.errors import SourceError

Definition = ir.FunctionDef | ir.ClassDef

_MOST_REEXPORTS = 8
"""So many files are followed from a name to what it means."""


@dataclass(slots=True)
class Named:
    """A function or class.

    Args:
        module: the file that defines it.
        definition: its statement.
        names: the full names by which it can be imported, that of its definition first.
    """

    module: ModuleFile
    definition: Definition
    names: list[str] = field(default_factory=list)

    @property
    def entry(self) -> Entry | None:
        """What is run of it: the function, or the `forward` of the class; None if that has none of its own."""
        if isinstance(self.definition, ir.FunctionDef):
            return Entry(self.module, self.definition.function)
        method = own_method(self.definition, "forward")
        return Entry(self.module, method, self.definition) if method is not None else None


def own_method(owner: ir.ClassDef, name: str) -> ir.Function | None:
    """A method that a class defines itself."""
    members = (member.function for member in owner.body if isinstance(member, ir.FunctionDef))
    return next((function for function in members if function.name == name), None)


def public(package: Package, program: Program) -> list[Named]:
    """All functions and classes without an underscore before their names, sorted by name."""
    found: dict[tuple[str, str], Named] = {}
    files = {module: program_file for module, path in package.files() if (program_file := _file(program, path))}
    for module, file in files.items():
        for statement in flat(file.code.body):
            name = _defined(statement)
            last = file.bindings.get(name) is statement and not name.startswith("_")
            if last and isinstance(statement, (ir.FunctionDef, ir.ClassDef)):
                found[file.path, name] = Named(file, statement, [f"{module}.{name}"])
    for module, file in files.items():
        if file.path.endswith("__init__.py"):
            for name in _offered(program, file, 0):
                meant = _meaning(program, file, name, 0)
                named = found.get(meant) if meant is not None else None
                if named is not None and f"{module}.{name}" not in named.names:
                    named.names.append(f"{module}.{name}")
    return sorted(found.values(), key=lambda named: named.names[0])


def _file(program: Program, path: str) -> ModuleFile | None:
    """A file as one that is checked, so that what others were met before costs nothing."""
    text = program.text(path)
    try:
        return program.add(path, text) if text is not None else None
    except SourceError:
        return None


def _defined(statement: ir.Stmt) -> str:
    if isinstance(statement, ir.FunctionDef):
        return statement.function.name
    return statement.name if isinstance(statement, ir.ClassDef) else ""


def _offered(program: Program, file: ModuleFile, depth: int) -> Iterator[str]:
    """The names that a file imports from others, and may be imported from it."""
    yield from (name for name in file.bindings if not name.startswith("_"))
    for star in file.stars:
        source = program.find(star.module, star.level, file.path)
        if source is not None and depth < _MOST_REEXPORTS:
            yield from _offered(program, source, depth + 1)


def _meaning(program: Program, file: ModuleFile, name: str, depth: int) -> tuple[str, str] | None:
    """The file that defines what a name means in a file, and its name there."""
    statement = file.bindings.get(name)
    if isinstance(statement, (ir.FunctionDef, ir.ClassDef)):
        return file.path, name
    if depth >= _MOST_REEXPORTS:
        return None
    if isinstance(statement, ir.ImportFrom):
        original = next(original for original, alias in statement.names if alias == name)
        source = program.find(statement.module, statement.level, file.path)
        return _meaning(program, source, original, depth + 1) if source is not None else None
    for star in file.stars if statement is None else ():
        source = program.find(star.module, star.level, file.path)
        meant = _meaning(program, source, name, depth + 1) if source is not None else None
        if meant is not None:
            return meant
    return None
