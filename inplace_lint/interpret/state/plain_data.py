"""Values that a program uses as only plain data can be used: positions, arrays, what a data set is made of."""

from __future__ import annotations

from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Unknown, Value
from inplace_lint.judgement.reason import silent
from inplace_lint.torch_model.tensor import Tensor

COMPARED_WITH_CODE = silent(
    "compared-with-code",
    "what is asked whether it equals a whole number, other than 0 or 1, has codes of tokens or classes for values",
    """
    import torch


    def reversed_rows(rows):
        turned = torch.full_like(rows, 4)
        for row, place in zip(rows, turned):
            count = int((row != 4).sum())
            place[:count] = row[:count].flip(0)
        return turned
    """,
)


def take_for_data(value: Value) -> None:
    """Take a value for one that requires no grad, unless it is a tensor that surely does."""
    if isinstance(value, Unknown):
        value.is_data = True
    elif isinstance(value, Tensor) and value.need and not value.need.certain:
        value.take_for_constant()


def take_for_positions(run: Run, value: Value) -> None:
    """Take a value for whole numbers, or truth values: no other tensor can be an index.

    What it would require grad with is as little so: PyTorch refuses an index that has a gradient.
    """
    if isinstance(value, Tensor) and value.need and not value.need.certain:
        run.torch.refuted.update(value.need.assumptions)
        value.dtype = value.dtype or "int"
    take_for_data(value)


def note_compared(run: Run, value: Value, other: Value) -> None:
    """Take a value for whole numbers that is compared, by `==` or `!=`, with one that is the code of something."""
    is_code = isinstance(other, int) and not isinstance(other, bool) and abs(other) > 1
    if COMPARED_WITH_CODE.on and is_code and isinstance(value, Tensor):
        take_for_positions(run, value)
