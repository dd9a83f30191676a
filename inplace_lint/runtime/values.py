"""Nested values: the tensors in them, and copies with their leaves changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn


def mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """A nested value with its leaves changed."""
    if type(value) in (tuple, list, set):
        return type(value)(mapped(item, change) for item in value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(mapped(item, change) for item in value))
    if isinstance(value, dict):
        made = type(value)() if type(value) is not dict else {}
        made.update({key: mapped(item, change) for key, item in value.items()})
        return made
    if isinstance(value, slice):
        return slice(*(mapped(item, change) for item in (value.start, value.stop, value.step)))
    return change(value)


def leaves(value: Any) -> list[Tensor]:
    """The tensors that `mapped` would come by, each once."""
    found: dict[int, Tensor] = {}
    mapped(value, lambda leaf: found.setdefault(id(leaf), leaf) if isinstance(leaf, Tensor) else leaf)
    return list(found.values())


def tensors_of(value: Any, depth: int = 6) -> list[Any]:
    """The tensors in a result: in lists, tuples, dicts, and attributes of other objects."""
    if isinstance(value, Tensor):
        return [value]
    if depth == 0 or isinstance(value, (nn.Module, type, str, bytes)) or callable(value):
        return []
    if isinstance(value, dict):
        items = list(value.values())
    elif isinstance(value, (list, tuple, set)):
        items = list(value)
    else:
        items = list(getattr(value, "__dict__", {}).values())
    return [leaf for item in items for leaf in tensors_of(item, depth - 1)]
