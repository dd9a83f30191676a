"""The names that a statement binds."""

from __future__ import annotations

from collections.abc import Iterator

from inplace_lint.source import ir


def bound_names(statement: ir.Stmt) -> Iterator[str]:
    """The names that a statement itself binds where it stands; of a star import, none."""
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
