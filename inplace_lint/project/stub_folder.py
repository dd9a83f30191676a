"""Folders of stubs: programs of the user's that are read in place of libraries (`torch_model/stubs.py`).

They are read, parsed and checked, and never imported or run. A name that would be silently unknown is an error.
"""

from __future__ import annotations

import ast
import builtins
import symtable
import sys
from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path
from typing import NoReturn

from inplace_lint import intrinsics
from inplace_lint.findings.wording import did_you_mean
from inplace_lint.project.files import read_file
from inplace_lint.torch_model.stubs import INTRINSICS, Stub, module_at, shipped

# All are read at every start.
MOST_STUBS = 500
# What every module has.
_OF_MODULES = frozenset({"__name__", "__file__", "__doc__"})
_IMPORTABLE = f"PyTorch, NumPy, the standard library, `{INTRINSICS}` and modules that have stubs"
_DEFINITIONS = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign)


class StubError(ValueError):
    """A mistake in a folder of stubs; the message names the file, the line and a cure."""


def read_stubs(folder: str) -> tuple[Stub, ...]:
    """Read and check the stubs in a folder.

    Raises:
        StubError: there are none, or one of them cannot be read, or makes no sense.
    """
    places = sorted(islice(Path(folder).rglob("*.py"), MOST_STUBS + 1))
    if len(places) > MOST_STUBS:
        raise StubError(f"{folder}: has more than {MOST_STUBS} files: is it a folder of stubs?")
    if not places:
        raise StubError(f"{folder}: has no stubs; `{Path(folder, 'mylib', 'sub.py')}` would stand for `mylib.sub`")
    modules = {module_at(place.relative_to(folder)): place for place in places}
    return tuple(_read(place, module, modules) for module, place in modules.items())


def _read(place: Path, module: str, modules: Collection[str]) -> Stub:
    if not all(part.isidentifier() for part in module.split(".")):
        raise StubError(f"{place}: its path stands for no module")
    try:
        text = read_file(str(place)).decode("utf-8-sig").replace("\r\n", "\n")
        tree = ast.parse(text)
        names = symtable.symtable(text, str(place), "exec")
    except SyntaxError as error:
        raise StubError(f"{place}:{error.lineno or 1}: cannot be read: {error.msg}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise StubError(f"{place}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    for statement in tree.body:
        _check_top(statement, place)
    for node in ast.walk(tree):
        _check_import(node, place, modules)
    _check_names(tree, names, place)
    # Under a name of its own: the file may also be one of those that are checked.
    return Stub(module, f"stub:{place}", text, given=True)


def _fail(place: Path, node: ast.AST, message: str) -> NoReturn:
    raise StubError(f"{place}:{getattr(node, 'lineno', 1)}: {message}")


def _check_top(node: ast.stmt, place: Path) -> None:
    is_documentation = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    if not isinstance(node, _DEFINITIONS) and not is_documentation:
        _fail(place, node, "a stub is not run: only imports, assignments and definitions can stand at its top")


def _check_import(node: ast.AST, place: Path, modules: Collection[str]) -> None:
    if isinstance(node, ast.ImportFrom) and node.level:
        _fail(place, node, "a stub imports by full names, not from `.`")
    if isinstance(node, ast.ImportFrom) and node.module == INTRINSICS:
        for alias in node.names:
            if alias.name not in intrinsics.__all__:
                near = did_you_mean(alias.name, intrinsics.__all__) or f"; there are {', '.join(intrinsics.__all__)}"
                _fail(place, node, f"`{INTRINSICS}` has no `{alias.name}`{near}")
    for name in _imported(node):
        if not _is_known(name, modules):
            _fail(place, node, f"`{name}` is unknown here: a stub may import {_IMPORTABLE}")


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.ImportFrom):
        package = node.module or ""
        yield from (f"{package}.{alias.name}" for alias in node.names) if package == "inplace_lint" else (package,)
    elif isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)


def _is_known(module: str, modules: Collection[str]) -> bool:
    root = module.partition(".")[0]
    if root in ("torch", "numpy") or root in sys.stdlib_module_names or module == INTRINSICS:
        return True
    return shipped().of(module) is not None or any(f"{other}.".startswith(f"{module}.") for other in modules)


def _check_names(tree: ast.Module, top: symtable.SymbolTable, place: Path) -> None:
    """Refuse names that nothing defines: they would be unknown values."""
    symbols = [symbol for table in _tables(top) for symbol in table.get_symbols() if symbol.is_global()]
    bound = {symbol.get_name() for symbol in symbols if symbol.is_assigned() or symbol.is_imported()}
    known = bound | vars(builtins).keys() | _OF_MODULES
    missing = {symbol.get_name() for symbol in symbols} - known
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in missing:
            _fail(place, node, f"`{node.id}` is defined nowhere{did_you_mean(node.id, known)}")


def _tables(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for inner in table.get_children():
        yield from _tables(inner)
