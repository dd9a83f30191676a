"""Which overload a call's arguments belong to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch

from inplace_lint.torch_model.effects import Param, ParamKind


def fits(kind: ParamKind, value: object) -> bool:
    """Whether Python would pass this value for a parameter of this kind."""
    is_int = isinstance(value, int) and not isinstance(value, bool)
    if kind == "tensor":
        return isinstance(value, torch.Tensor)
    if kind == "tensors":
        return isinstance(value, list | tuple) and all(isinstance(v, torch.Tensor | None) for v in value)
    if kind == "int":
        return is_int
    if kind == "ints":
        return is_int or (isinstance(value, list | tuple) and all(isinstance(v, int | None) for v in value))
    if kind == "number":
        return isinstance(value, int | float | complex)
    if kind == "bool":
        return isinstance(value, bool)
    if kind == "str":
        return isinstance(value, str)
    if kind == "dtype":
        return isinstance(value, torch.dtype)
    return not isinstance(value, torch.Tensor)


def bind(params: Sequence[Param], args: Sequence[object], kwargs: Mapping[str, object]) -> dict[str, object] | None:
    """Parameter name to value, or None if the arguments do not fit."""
    positional = [p for p in params if not p.keyword_only]
    bound: dict[str, object] = {}
    for i, value in enumerate(args):
        if i >= len(positional):
            return None
        param = positional[i]
        if _takes_the_rest(param, i, positional, value):
            bound[param.name] = list(args[i:])
            break
        bound[param.name] = value
    by_name = {p.name: p for p in params}
    if any(name not in by_name or name in bound for name in kwargs):
        return None
    bound.update(kwargs)
    for param in params:
        value = bound.get(param.name)
        if value is None and not param.optional:
            return None
        if value is not None and not fits(param.kind, value):
            return None
    return bound


def _takes_the_rest(param: Param, position: int, positional: Sequence[Param], value: object) -> bool:
    """`x.view(2, 3)`: a last parameter that is a sequence may be spelled out."""
    if position != len(positional) - 1:
        return False
    if param.kind == "ints":
        return isinstance(value, int) and not isinstance(value, bool)
    return param.kind == "tensors" and isinstance(value, torch.Tensor)
