"""Statements of a class that wait until somebody asks for what they bind."""

from __future__ import annotations

from inplace_lint.source import ir


def late_statements(node: ir.ClassDef) -> tuple[ir.Stmt, ...]:
    """The statements of a class that may wait until somebody asks for what they bind; none, if one may not."""
    late: list[ir.Stmt] = []
    bound: set[str] = set()
    functions = {statement.function.name for statement in node.body if isinstance(statement, ir.FunctionDef)}
    for statement in node.body:
        if isinstance(statement, ir.Assign) and all(isinstance(target, ir.Name) for target in statement.targets):
            late.append(statement)
            bound.update(target.id for target in statement.targets if isinstance(target, ir.Name))
        elif isinstance(statement, ir.ClassDef):
            late.append(statement)
            bound.add(statement.name)
        elif not isinstance(statement, (ir.FunctionDef, ir.Declare)) and not _is_remark(statement):
            return ()
    return tuple(late) if not bound & functions else ()


def _is_remark(statement: ir.Stmt) -> bool:
    return isinstance(statement, ir.ExprStmt) and isinstance(statement.value, ir.Const)
