"""Escape analysis by syntax: which writes go to memory that the function allocated, and that has not escaped yet.

Such a write matters in the function itself, but cannot matter to its callers. It is cheap evidence from syntax:
where it does not decide, the memory counts as external.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from inplace_lint.screen.op_names import LIBRARIES, makers, methods, savers, viewing
from inplace_lint.screen.uses import Uses, sharing, whole_of
from inplace_lint.source.syntax import Function, root_name
from inplace_lint.torch_model.op_table import shipped
from inplace_lint.torch_model.spellings import asks_to_write


class LocalAllocations:
    """The names of a function that hold memory which it allocated.

    Args:
        function: with all that is nested in it.
        layer: all values that an attribute of `self` is given in the file; empty if nobody knows.
    """

    def __init__(self, function: Function, layer: Callable[[str], Sequence[object]]) -> None:
        self._layer = layer
        self._uses = Uses(function)
        self._allocated: dict[str, bool] = {}

    def covers(self, target: ast.expr, at: ast.AST) -> bool:
        """Whether what a node writes was allocated here and has not escaped before."""
        row = getattr(at, "lineno", None)
        if row is None or self._uses.yields:
            return False
        names = list(sharing(target))
        given = self._uses.just_given(names[0], row) if len(names) == 1 else None
        if given is not None and self._is_allocated(given.value, 0) and not isinstance(given.value, ast.Name):
            return not any(given.lineno < handed <= row for name in names for handed in self._uses.handed_on[name])
        if not self._is_allocated(target, 0):
            return False
        return not any(
            self._uses.is_before(handed, row)
            for name in self._uses.group(names)
            for handed in self._uses.handed_on[name]
        )

    def is_filled(self, target: ast.expr, at: ast.AST) -> bool:
        """Whether a node writes new memory that nobody has read: no result of an op that saves it."""
        whole = whole_of(target)
        part = whole is not target or isinstance(at, (ast.Assign, ast.For))
        row = getattr(at, "lineno", None)
        if self._uses.yields or row is None:
            return False
        if not isinstance(whole, ast.Name):
            return whole is target and self._is_unsaved(target, part)
        given = self._uses.just_given(whole.id, row) if self._gives_nothing(at, row) else None
        if given is not None and len(given.targets) == 1 and self._is_unsaved(given.value, part):
            read = any(given.lineno < read <= self._end(row) for read in self._uses.read[whole.id])
            return not read and self._uses.is_one_mode([given.lineno, row])
        if len(self._uses.group([whole.id])) > 1:
            return False
        return self._is_filled_first(whole.id, row, part)

    def _gives_nothing(self, at: ast.AST, row: int) -> bool:
        """Whether a write is all that a statement does: its result gets no other name."""
        statement = self._uses.statement(row)
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            return at in (statement.value, statement.value.func)
        return statement is at

    def _end(self, row: int) -> int:
        """The last row of the statement on a row, whose value is read before it writes."""
        return getattr(self._uses.statement(row), "end_lineno", None) or row

    def _is_filled_first(self, name: str, row: int, part: bool) -> bool:
        """Whether all writes to what a name holds come before all reads."""
        values = self._uses.values.get(name)
        if not values or not all(value is not None and self._is_unsaved(value, part) for value in values):
            return False
        last = max(map(self._end, [row, *self._uses.written[name]]))
        made = [value.lineno for value in values if value is not None]
        if not self._uses.is_one_mode([row, *made, *self._uses.written[name]]):
            return False
        again = not any(self._uses.is_other_branch(at, row) for at in made)  # in each turn of a loop
        for read in self._uses.read[name]:
            if read <= last:
                return False
            for start, end in self._uses.loops:
                made_in_turn = again and all(start <= at <= row for at in made)
                if start <= read <= end and start <= row <= end and not made_in_turn:
                    return False
        return True

    def _is_unsaved(self, node: ast.expr, part: bool) -> bool:
        """Whether a value is new, and no op has saved it as its result; with `part`, surely no list."""
        if isinstance(node, ast.BinOp):
            listed = isinstance(node.op, (ast.Add, ast.Mult)) and part
            return not isinstance(node.op, ast.Pow) and not listed
        if isinstance(node, (ast.UnaryOp, ast.Compare)):
            return not _is_plus(node)
        if isinstance(node, ast.Constant):
            return not isinstance(node.value, str)
        if not isinstance(node, ast.Call) or any(keyword.arg == "requires_grad" for keyword in node.keywords):
            return False
        if isinstance(node.func, ast.Attribute) and node.func.attr in methods() - makers():
            return False
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        return name not in savers() and self._is_allocated_call(node, 0)

    def _is_allocated(self, node: ast.expr, depth: int) -> bool:
        if depth > 20:
            return False
        if isinstance(node, ast.Name):
            if node.id not in self._allocated:
                self._allocated[node.id] = True  # until proven otherwise: `x = x.view(-1)` says nothing new
                values = self._uses.values.get(node.id)
                self._allocated[node.id] = bool(values) and all(
                    value is not None and self._is_allocated(value, depth + 1) for value in values or ()
                )
            return self._allocated[node.id]
        if isinstance(node, ast.Constant):
            return not isinstance(node.value, str)
        if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Compare)):
            return not _is_plus(node)
        if isinstance(node, ast.IfExp):
            return self._is_allocated(node.body, depth + 1) and self._is_allocated(node.orelse, depth + 1)
        if isinstance(node, ast.Subscript):
            return self._is_allocated(node.value, depth + 1)
        if isinstance(node, ast.Attribute):
            return node.attr in ("data", "T", "mT") and self._is_allocated(node.value, depth + 1)
        return isinstance(node, ast.Call) and self._is_allocated_call(node, depth)

    def _is_allocated_call(self, node: ast.Call, depth: int) -> bool:
        func = node.func
        if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id == "self":
            layers = self._layer(func.attr)
            return bool(layers) and all(isinstance(each, ast.Call) and _makes_maker(each) for each in layers)
        if not isinstance(func, ast.Attribute) or any(asks_to_write(keyword.arg) for keyword in node.keywords):
            return False
        if root_name(func.value) in ("self", "cls") or func.attr in viewing("expanded", "windows"):
            return False  # Whether elements share memory, the arguments decide: callers matter.
        if func.attr in makers():
            return True
        of_numpy = isinstance(func.value, ast.Name) and func.value.id in ("np", "numpy")
        if of_numpy:
            return func.attr == "array"  # which PyTorch has not
        if func.attr.endswith("Tensor"):
            return root_name(func) == "torch"
        views = isinstance(func.value, ast.Name) and func.value.id in LIBRARIES
        return not views and func.attr in methods() and self._is_allocated(func.value, depth + 1)


def _is_plus(node: ast.expr) -> bool:
    """Whether this is `+x`, which is `x` itself."""
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd)


def _makes_maker(node: ast.Call) -> bool:
    """Whether a call constructs a layer whose results are always new, and not saved."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    spec = shipped().module(f"torch.nn.{name}")
    if spec is None or any(asks_to_write(keyword.arg) for keyword in node.keywords):
        return False
    rows = [row for row in spec.forward if ("inplace", True) not in row.given]
    fresh = bool(rows) and all(each.origin == "fresh" for row in rows for each in row.outputs)
    return fresh and not any(save.what.startswith("result") for row in rows for save in row.saves)
