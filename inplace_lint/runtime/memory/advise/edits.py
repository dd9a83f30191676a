"""The source with calls in place: one edit for each."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from torch import nn

from inplace_lint.runtime.memory.advise.calls import Spelled
from inplace_lint.runtime.memory.advise.forms import COMMUTE, by_flag, method
from inplace_lint.source.place import Span

_ATOMS = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)


@dataclass(frozen=True, slots=True)
class SourceEdit:
    """A stretch of a file, and what is to stand there."""

    span: Span
    text: str


def edits(source: str, calls: Iterable[Spelled]) -> dict[Spelled, SourceEdit]:
    """The edits of one file, by call; a call without an in-place spelling, or within another's edit, has none."""
    lines = source.split("\n")
    found: dict[Spelled, SourceEdit] = {}
    for call in calls:
        if call.site is None or any(_overlap(call.site.span, other.span) for other in found.values()):
            continue
        text = in_place_spelling(_between(lines, call.site.span), call)
        if text is not None:
            found[call] = SourceEdit(call.site.span, text)
    return found


def applied(source: str, edits: Iterable[SourceEdit]) -> str:
    """The source with these edits."""
    lines = source.split("\n")
    for edit in sorted(edits, key=lambda each: (each.span.row, each.span.column), reverse=True):
        span = edit.span
        before, after = lines[span.row - 1][: span.column - 1], lines[span.end_row - 1][span.end_column - 1 :]
        lines[span.row - 1 : span.end_row] = (before + edit.text + after).split("\n")
    return "\n".join(lines)


def in_place_spelling(text: str, call: Spelled) -> str | None:
    """An expression in place; None if it is not spelled in a way that has such a form."""
    try:
        expression = ast.parse(f"({text})", mode="eval").body
    except SyntaxError:
        return None
    spelled = _Spelled(f"({text})")
    name = call.function.rpartition(".")[2]
    if isinstance(expression, ast.BinOp):
        sides = [expression.left, expression.right]
        side = _side(sides, call, name)
        return None if side is None else spelled.call(sides[side], method(name), [sides[1 - side]])
    if isinstance(expression, ast.UnaryOp):
        return spelled.call(expression.operand, method(name), [])
    if not isinstance(expression, ast.Call) or not _calls(expression, name):
        return None
    function = getattr(nn.functional, name, None)
    if call.function.startswith("torch.nn.functional.") and function is not None and by_flag(function):
        return spelled.flagged(expression, list(inspect.signature(function).parameters).index("inplace"))
    if call.function.startswith("torch.Tensor.") and isinstance(expression.func, ast.Attribute):
        given = [expression.func.value, *expression.args]
    else:
        given = list(expression.args)
    if any(isinstance(each, ast.Starred) for each in given) or len(given) <= call.operand:
        return None
    written = given.pop(call.operand)
    return spelled.call(written, method(name), [*given, *expression.keywords])


def _side(sides: Sequence[ast.expr], call: Spelled, name: str) -> int | None:
    """Which side of an operator is written; None if that cannot be told, as PyTorch takes `2 + x` for `x + 2`."""
    if not call.alone or name not in COMMUTE:
        return call.operand
    tensors = [number for number, side in enumerate(sides) if not isinstance(side, ast.Constant)]
    return tensors[0] if len(tensors) == 1 else None


@dataclass(frozen=True, slots=True)
class _Spelled:
    """The text that an expression was parsed from."""

    text: str

    def call(self, receiver: ast.expr, method: str, arguments: Sequence[ast.expr | ast.keyword]) -> str:
        """A method call."""
        of = self._of(receiver)
        of = of if isinstance(receiver, _ATOMS) else f"({of})"
        return f"{of}.{method}({', '.join(map(self._of, arguments))})"

    def flagged(self, call: ast.Call, place: int) -> str | None:
        """The call with `inplace=True`; None if its arguments cannot be told apart."""
        kept = [each for each in call.keywords if each.arg != "inplace"]
        if len(call.args) > place or any(isinstance(each, ast.Starred) for each in call.args):
            return None
        if any(each.arg is None for each in kept):
            return None
        arguments = [self._of(each) for each in (*call.args, *kept)]
        return f"{self._of(call.func)}({', '.join([*arguments, 'inplace=True'])})"

    def _of(self, node: ast.AST) -> str:
        return ast.get_source_segment(self.text, node) or ast.unparse(node)


def _calls(call: ast.Call, name: str) -> bool:
    called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return called == name


def _between(lines: Sequence[str], span: Span) -> str:
    rows = list(lines[span.row - 1 : span.end_row])
    if not rows:
        return ""
    rows[-1] = rows[-1][: span.end_column - 1]
    rows[0] = rows[0][span.column - 1 :]
    return "\n".join(rows)


def _overlap(a: Span, b: Span) -> bool:
    return (a.row, a.column) < (b.end_row, b.end_column) and (b.row, b.column) < (a.end_row, a.end_column)
