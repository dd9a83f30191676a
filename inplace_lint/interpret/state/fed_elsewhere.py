"""The statements of other files that fill a registry: `@register("gru")` above a class, where `register` is imported.

A registry holds what the files that are imported with it have put there. Looked through are the imports of its file,
also those inside of functions, of the packages around it, and of the file where the run begins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inplace_lint.effort import STEP
from inplace_lint.interpret.state.fillers import Import, fillers_of, imports_of
from inplace_lint.interpret.state.program import ModuleFile
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Class, Dict, Instance, List, Value
from inplace_lint.source import ir
from inplace_lint.source.spelling import root_name

# So many files are looked through for each registry.
_MOST_FILES = 30

_MOST_STATEMENTS = 100

Feeding = list[tuple[ModuleFile, ir.Stmt]]
"""Statements, each with its file."""


def feeding_elsewhere(run: Run, module: ModuleFile, name: str, value: Value) -> Feeding:
    """What fills a top-level container or registry of a file in other files, in the order of their imports.

    Args:
        run: that begins in some file.
        module: the file.
        name: of the container.
        value: what it is after the statements of its own file.
    """
    if module.library or module.installed:
        return []
    begun = run.stack[0].module if run.stack else module
    fed, key = module.program.fed_elsewhere, (module.path, name, begun.path)
    if key not in fed:
        names = {name, *fillers_of(module, name)}
        found: Feeding = []
        if len(names) > 1 or _is_empty(value):
            for other in _imported(module, begun, imports_of(module, name), names):
                run.torch.trace.effort.spend(STEP)
                known = _known_as(other, module, names)
                found += [(other, each) for each in other.code.body if known and _feeds(each, known)]
        fed[key] = found[:_MOST_STATEMENTS]
    return fed[key]


def _is_empty(value: Value) -> bool:
    """Whether a container is to be filled: it has nothing yet, or is an object that can be told of something."""
    if isinstance(value, Instance):
        return isinstance(value.cls, Class) and any(
            "register" in method for cls in value.cls.lineage for method in cls.frame.variables
        )
    return not value.items if isinstance(value, (Dict, List)) else False


def _imported(
    module: ModuleFile, begun: ModuleFile, imports: Iterable[Import], names: set[str]
) -> Iterator[ModuleFile]:
    """The file where a run begins, and those imported with it or a file, without that, if they mention some names."""
    program, met = module.program, {module.path, begun.path}
    if begun is not module:
        yield begun
    todo = [*((module, each) for each in imports), *_at_top(begun)]
    for level in (1, 2):
        package = program.find("", level, module.path)
        todo += _at_top(package) if package is not None else ()
    for importer, statement in todo:  # grows
        for place in _places(importer, statement):
            if place in met or len(met) >= _MOST_FILES or program.installed_at(place):
                continue
            met.add(place)
            text = program.text(place) or ""
            tells, gathers = any(name in text for name in names), place.endswith("__init__.py")
            other = program.file(place) if tells or gathers else None
            if other is not None and not other.library:
                if tells:
                    yield other
                if gathers:
                    todo += _at_top(other)


def _at_top(module: ModuleFile) -> list[tuple[ModuleFile, Import]]:
    return [(module, each) for each in module.code.body if isinstance(each, Import)]


def _places(importer: ModuleFile, statement: Import) -> Iterator[str]:
    """The files that a statement imports: a module, or those that are its names."""
    level = statement.level if isinstance(statement, ir.ImportFrom) else 0
    modules = [statement.module]
    for name, _ in statement.names if isinstance(statement, ir.ImportFrom) else ():
        modules.append(_within(statement.module, name))
    places = (importer.program.place(each, level, importer.path) for each in modules)
    return (each for each in places if each is not None)


def _within(module: str, name: str) -> str:
    return f"{module}.{name}" if module else name


def _known_as(other: ModuleFile, module: ModuleFile, names: set[str]) -> set[str]:
    """How a file calls what fills a container of another one: by names, or behind that of the module."""
    found: set[str] = set()
    for importer, statement in _at_top(other):
        place = importer.program.place
        if isinstance(statement, ir.Import):
            if place(statement.module, 0, importer.path) == module.path:
                found |= {f"{statement.name if statement.whole else statement.module}.{name}" for name in names}
            continue
        if place(statement.module, statement.level, importer.path) == module.path:
            found |= {alias for name, alias in statement.names if name in names}
        for inner, alias in statement.names:
            if place(_within(statement.module, inner), statement.level, importer.path) == module.path:
                found |= {f"{alias}.{name}" for name in names}
    return found


def _feeds(statement: ir.Stmt, known: set[str]) -> bool:
    """Whether a statement fills a container that goes by one of these names."""
    if isinstance(statement, ir.Assign):
        return any(isinstance(target, ir.Index) and _goes_by(target.value, known) for target in statement.targets)
    if isinstance(statement, ir.ExprStmt):
        return isinstance(statement.value, ir.Call) and _goes_by(statement.value.func, known)
    if isinstance(statement, ir.FunctionDef):
        return any(_goes_by(each, known) for each in statement.function.decorators)
    if isinstance(statement, ir.ClassDef):
        bases = [each.value for each in statement.bases if each.keyword is None]
        return any(_goes_by(each, known) for each in (*statement.decorators, *bases))
    return False


def _goes_by(node: ir.Expr, known: set[str]) -> bool:
    """Whether an expression is made of something that goes by one of these names, or a decorator is given that."""
    while True:
        if _spelled(node) in known:
            return True
        if isinstance(node, ir.Call):
            if any(_spelled(each.value) in known for each in node.args):
                return True
            node = node.func
        elif isinstance(node, (ir.Attr, ir.Index)):
            node = node.value
        else:
            return False


def _spelled(node: ir.Expr) -> str:
    if isinstance(node, ir.Attr) and isinstance(node.value, ir.Name):
        return f"{node.value.id}.{node.name}"
    return root_name(node) if isinstance(node, ir.Name) else ""
