"""How the source spells an expression: the words it begins and ends with, and a short text for messages."""

from __future__ import annotations

from inplace_lint.source import ir

# The name of a function that has none.
LAMBDA = "<lambda>"


def called_name(call: ir.Call) -> str:
    """The last word of what is called; empty if it has none."""
    return last_word(call.func)


def last_word(node: ir.Expr) -> str:
    """The name of a variable or attribute; empty for other expressions."""
    return node.name if isinstance(node, ir.Attr) else node.id if isinstance(node, ir.Name) else ""


def member_name(function: ir.Function) -> str:
    """The name under which a class has a function; what sets or deletes a property stands beside that."""
    for decorator in function.decorators:
        if isinstance(decorator, ir.Attr) and decorator.name in ("setter", "deleter"):
            return f"{function.name}.{decorator.name}"
    return function.name


_LINKS = (ir.Attr, ir.Index, ir.Call)


def root(node: ir.Expr, through: tuple[type[ir.Expr], ...] = _LINKS) -> ir.Expr:
    """What a chain of attributes, items and calls begins with; or a chain of only some of these links."""
    while isinstance(node, (ir.Attr, ir.Index, ir.Call)) and isinstance(node, through):
        node = node.func if isinstance(node, ir.Call) else node.value
    return node


def root_name(node: ir.Expr, through: tuple[type[ir.Expr], ...] = _LINKS) -> str:
    """The variable that such a chain begins with; empty if it is none."""
    first = root(node, through)
    return first.id if isinstance(first, ir.Name) else ""


def ir_text(node: ir.Node) -> str:
    """A name, a chain of attributes, a call without its arguments; empty for what is too long to quote."""
    if isinstance(node, ir.Name):
        return node.id
    if isinstance(node, ir.Attr):
        base = ir_text(node.value)
        return f"{base}.{node.name}" if base else node.name
    if isinstance(node, ir.Index):
        base = ir_text(node.value)
        index = repr(node.index.value) if isinstance(node.index, ir.Const) else ir_text(node.index) or "..."
        return f"{base}[{index}]" if base else ""
    if isinstance(node, ir.Call):
        base = ir_text(node.func)
        return f"{base}(...)" if base else ""
    if isinstance(node, ir.Binary):
        left, right = ir_text(node.left), ir_text(node.right)
        return f"{left} {node.op} {right}" if left and right and len(left) + len(right) < 30 else ""
    return ""
