"""The in-place form of a call of PyTorch: which operand it writes, and how to call it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn

COMMUTE = frozenset({"add", "mul"})
_MEANS_ELSE = frozenset({"bernoulli", "copy", "exponential", "geometric", "normal", "random", "resize", "set"})


def operands(function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Sequence[int]:
    """The positions among `args` of what the call could write; none if it has no in-place form."""
    name = getattr(function, "__name__", "")
    if not args or not isinstance(args[0], Tensor) or "out" in kwargs or name in _MEANS_ELSE:
        return ()
    if name in COMMUTE and not kwargs and len(args) == 2 and isinstance(args[1], Tensor):
        return (0, 1)
    return (0,) if by_flag(function) or hasattr(Tensor, method(name)) else ()


def method(name: str) -> str:
    """The method of tensors that does what `name` does, in place."""
    return f"{name}_"


@cache
def by_flag(function: Callable[..., Any]) -> bool:
    """Whether a function takes `inplace=True`."""
    own = inspect.isfunction(function) and getattr(nn.functional, function.__name__, None) is function
    return own and "inplace" in inspect.signature(function).parameters


def in_place(function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], operand: int) -> Any:
    """Call the in-place form, which writes one of the operands."""
    if by_flag(function):
        bound = inspect.signature(function).bind(*args, **kwargs)
        bound.arguments["inplace"] = True
        return function(*bound.args, **bound.kwargs)
    written = args[operand]
    others = [each for number, each in enumerate(args) if number != operand]
    return getattr(torch.Tensor, method(function.__name__))(written, *others, **kwargs)
