"""What a file falls back on without a package: `try: import flash_attn ... except ImportError: ...`.

Where such a package is neither in view nor known, its fallback is what runs: it is plain PyTorch. A flag that
tells whether the package is there is an option that is not given, so that both ways are followed where writes are.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from inplace_lint.source import ir
from inplace_lint.source.bound import bound_names
from inplace_lint.source.spelling import called_name, ir_text
from inplace_lint.torch_model.op_table import table


@dataclass(frozen=True, slots=True)
class OptionalName:
    """A top-level name that depends on whether packages can be imported.

    Args:
        imports: what the `try` imports.
        fallback: the statement of its handler that binds the name.
        is_flag: it is true with the packages, and false without.
    """

    imports: tuple[ir.Import | ir.ImportFrom, ...]
    fallback: ir.Stmt
    is_flag: bool


def optional_names(body: tuple[ir.Stmt, ...]) -> Iterator[tuple[str, OptionalName]]:
    """The names of a file that it binds in another way where an import fails."""
    for statement in body:
        if isinstance(statement, ir.If):
            yield from optional_names(statement.body + statement.orelse)
        elif isinstance(statement, ir.Try) and statement.handlers:
            first = statement.body + statement.orelse
            imports = tuple(each for each in first if isinstance(each, (ir.Import, ir.ImportFrom)))
            usual = _bound(first)
            for name, fallback in _bound(statement.handlers[0][1]).items() if imports else ():
                flag = _says(usual.get(name), True) and _says(fallback, False)
                if name in usual and (flag or not isinstance(fallback, ir.Assign)):
                    yield name, OptionalName(imports, fallback, flag)


def _bound(body: tuple[ir.Stmt, ...]) -> dict[str, ir.Stmt]:
    return {name: statement for statement in body for name in bound_names(statement)}


def _says(statement: ir.Stmt | None, truth: bool) -> bool:
    value = statement.value if isinstance(statement, ir.Assign) else None
    return isinstance(value, ir.Const) and value.value is truth


def unknown_modules(optional: OptionalName) -> Iterator[tuple[str, int]]:
    """The modules, with the dots before them, that it imports and of which no rows tell: they may be missing."""
    for statement in optional.imports:
        level = statement.level if isinstance(statement, ir.ImportFrom) else 0
        package = statement.module.partition(".")[0]
        if level or not (
            package in _UNDERSTOOD or package in sys.stdlib_module_names or table().knows_package(package)
        ):
            yield statement.module, level


# Without rows.
_UNDERSTOOD = frozenset({"numpy", "einops"})


def asks_for_package(test: ir.Node) -> str:
    """The name of a function that a test calls to ask whether a package is there (`is_xformers_available`), or ""."""
    if not isinstance(test, ir.Call) or (isinstance(test.func, ir.Attr) and ir_text(test.func).startswith("torch.")):
        return ""
    name = called_name(test)
    return name if name.endswith("_available") and name.lstrip("_").startswith(("is_", "has_")) else ""
