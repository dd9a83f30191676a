"""What code asks of a tensor's shape, answered where the sizes are known: `x.ndim`, `len(x)`, `x.shape[1]`."""

from __future__ import annotations

from math import prod
from typing import TypeGuard

from inplace_lint.interpret.state.keys import Shape
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import List, Ref, Unknown, Value
from inplace_lint.torch_model import sizes
from inplace_lint.torch_model.regions import number
from inplace_lint.torch_model.subscript import Position, Range, Subscript
from inplace_lint.torch_model.tensor import Tensor


def size(tensor: Tensor, dim: object) -> int | None:
    """The size of a dimension; None if it is no known number."""
    shape = sizes.numbers(tensor.sizes) or ()
    return shape[dim] if isinstance(dim, int) and -len(shape) <= dim < len(shape) else None


def rank(tensor: Tensor) -> int | None:
    """How many dimensions a tensor has; None if nobody knows."""
    return len(tensor.sizes) if tensor.sizes is not None else None


def count(tensor: Tensor) -> int | None:
    """How many elements a tensor has; None if nobody knows."""
    known = sizes.numbers(tensor.sizes)
    numbers = [each for each in known if each is not None] if known is not None else []
    return prod(numbers) if known is not None and len(numbers) == len(known) else None


def shown_by(run: Run, value: Value) -> Tensor | None:
    """The tensor of which a value is the shape; None if it is none, or nothing is known of its sizes."""
    if not isinstance(value, Unknown) or not isinstance(value.key.made, Shape):
        return None
    tensor = run.described.get(value.key)
    return tensor if tensor is not None and tensor.sizes is not None else None


def part_of_shape(run: Run, shape: Unknown, places: Subscript) -> Value:
    """What a subscript of a shape gives, a number or a tuple of numbers; None if not all of it is known."""
    tensor = shown_by(run, shape)
    if tensor is None or len(places) != 1:
        return None
    place = places[0]
    if isinstance(place, Position):
        return size(tensor, number(place.at))
    if not isinstance(place, Range):
        return None
    lower, upper, step = number(place.lower), number(place.upper), number(place.step)
    if not (_is_end(lower) and _is_end(upper) and _is_end(step)) or step == 0:
        return None
    cut = (sizes.numbers(tensor.sizes) or ())[lower:upper:step]
    return List("tuple", [Ref(each) for each in cut]) if None not in cut else None


def _is_end(value: object) -> TypeGuard[int | None]:
    return value is None or isinstance(value, int)
