"""Rates of which the default is 0: dropout that drops nothing gives its argument itself, and not a copy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from inplace_lint.interpret.state.naming import named
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Unknown, Value, resolve
from inplace_lint.torch_model.effects import Effects
from inplace_lint.torch_model.operands import Operand
from inplace_lint.torch_model.tensor import Assumption, Tensor

NONE_LEFT_OUT = 0.0


def row_at_zero(rows: Iterable[Effects], asked: Callable[[str], Value]) -> tuple[Effects, Unknown] | None:
    """The row of an op for a rate of 0, and the rate, if nobody knows that but its default is 0.

    Args:
        asked: what is given for a parameter of that name.
    """
    for row in rows:
        for name, wanted in row.given:
            rate = resolve(asked(name)) if isinstance(wanted, float) and wanted == NONE_LEFT_OUT else None
            if isinstance(rate, Unknown) and rate.usual == NONE_LEFT_OUT:
                return row, rate
    return None


def suppose(bound: Mapping[str, object], rate: Unknown) -> None:
    """Suppose that a rate is 0: from now on, a tensor is also the result of an op."""
    operand = bound.get("input")
    if isinstance(operand, Operand):
        operand.tensor.storage.suppose(Assumption(named(rate.label) if rate.label else "the rate", "is 0"))


def leave_open(run: Run, bound: Mapping[str, object], made: Value) -> None:
    """Note that an op has copied on this path, and with a rate of 0 gives its argument."""
    operand = bound.get("input")
    if isinstance(operand, Operand) and isinstance(made, Tensor):
        run.torch.leave_open(operand.tensor, made)
