"""Values that a program uses as only plain data can be used: positions, arrays, what a data set is made of."""

from __future__ import annotations

from inplace_lint.interpret.state.values import Unknown, Value
from inplace_lint.torch_model.tensor import Tensor


def take_for_data(value: Value) -> None:
    """Take a value for one that requires no grad, unless it is a tensor that surely does."""
    if isinstance(value, Unknown):
        value.is_data = True
    elif isinstance(value, Tensor) and value.need and not value.need.certain:
        value.take_for_constant()
