"""The tensors in a value and its containers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from inplace_lint.interpret.state.values import Dict, List, Partial, Ref, Value, resolve
from inplace_lint.torch_model.tensor import Tensor


def tensors_of(value: Value, limit: int = 200) -> Iterator[tuple[Ref, str]]:
    """References to all tensors in a value and its containers, with how to spell them."""
    todo: list[tuple[Ref, str]] = [(Ref(value), "")]
    seen: set[int] = set()
    while todo and limit > 0:
        ref, text = todo.pop()
        limit -= 1
        value = resolve(ref.value)
        if isinstance(value, Tensor):
            yield ref, text
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, List):
            todo.extend((item, f"{text}[{i}]") for i, item in reversed(list(enumerate(value.items[:limit]))))
        elif isinstance(value, Dict):
            todo.extend((item, f"{text}[...]") for item in reversed(list(islice(value.items.values(), limit))))
        elif isinstance(value, Partial):
            todo.extend((item, text) for item in value.args[:limit])
