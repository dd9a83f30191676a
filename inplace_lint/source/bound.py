"""What a statement binds."""

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


def pairs(statement: ir.Stmt) -> Iterator[tuple[ir.Expr, ir.Expr]]:
    """The targets of an assignment, each with its value: two of `self.a, self.b = a, b`."""
    if isinstance(statement, ir.Assign):
        value = statement.value
        for target in statement.targets:
            if isinstance(target, ir.Sequence) and isinstance(value, ir.Sequence) and _are_apart(target, value):
                yield from zip(target.items, value.items, strict=True)
            else:
                yield target, value


def _are_apart(target: ir.Sequence, value: ir.Sequence) -> bool:
    stars = any(isinstance(each, ir.Starred) for each in (*target.items, *value.items))
    return len(target.items) == len(value.items) and not stars


def _target_names(target: ir.Expr) -> Iterator[str]:
    if isinstance(target, ir.Name):
        yield target.id
    elif isinstance(target, ir.Sequence):
        for item in target.items:
            yield from _target_names(item.value if isinstance(item, ir.Starred) else item)
