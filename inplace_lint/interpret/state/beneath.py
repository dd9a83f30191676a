"""What lies deeper in the arguments of a call than in a list or a dictionary."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from inplace_lint.interpret.state.values import Arguments, Dict, List, Ref, Unknown, Value, resolve
from inplace_lint.source import ir
from inplace_lint.torch_model.tensor import Tensor

# Into so many lists and dictionaries of one argument is looked.
_MOST_CONTAINERS = 200


def beneath(arguments: Arguments) -> Iterator[tuple[Tensor | Unknown, ir.Node]]:
    """The tensors and unknown values in the lists and dictionaries that arguments contain, each with its argument."""
    for passed in arguments.all():
        todo = [value for ref in items_in(passed.ref.value) if items_in(value := resolve(ref.value))]
        for value in todo[:_MOST_CONTAINERS]:
            yield from ((inner, passed.node) for inner in _leaves(value))


def _leaves(value: Value) -> Iterator[Tensor | Unknown]:
    todo = [value]
    for container in todo:  # grows
        for ref in items_in(container):
            inner = resolve(ref.value)
            if isinstance(inner, (Tensor, Unknown)):
                yield inner
            elif items_in(inner) and len(todo) < _MOST_CONTAINERS:
                todo.append(inner)


def items_in(value: Value) -> Collection[Ref]:
    """What is in a list or a dictionary; nothing if a value is none."""
    value = resolve(value)
    return value.items if isinstance(value, List) else value.items.values() if isinstance(value, Dict) else ()
