"""The statements at the top of a file."""

from __future__ import annotations

from collections.abc import Iterator

from inplace_lint.source import ir


def flat(body: tuple[ir.Stmt, ...]) -> Iterator[ir.Stmt]:
    """Top-level statements, those under `if` and `try` included."""
    for statement in body:
        yield statement
        if isinstance(statement, ir.If):
            yield from flat(
                statement.orelse if _is_type_checking(statement.test) else statement.body + statement.orelse
            )
        elif isinstance(statement, ir.Try):
            handlers = tuple(inner for _, handler in statement.handlers for inner in handler)
            yield from flat(statement.body + statement.orelse + handlers + statement.final)
        elif isinstance(statement, ir.With):
            yield from flat(statement.body)


def declared(body: tuple[ir.Stmt, ...]) -> Iterator[ir.Stmt]:
    """What a package declares for type checkers: it imports that at run time, too, when it is first asked for."""
    for statement in body:
        if isinstance(statement, ir.If) and _is_type_checking(statement.test):
            yield from flat(statement.body)
        elif isinstance(statement, ir.Try):
            yield from declared(statement.body)


def _is_type_checking(test: ir.Expr) -> bool:
    """Whether a condition only holds for type checkers; imports under it may name all files of a package."""
    name = test.id if isinstance(test, ir.Name) else test.name if isinstance(test, ir.Attr) else ""
    return name == "TYPE_CHECKING"
