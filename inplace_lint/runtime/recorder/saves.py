"""What autograd saved: the tensors that the nodes of a graph keep for backward.

Reading them changes nothing: no hook is called and nothing is unpacked. A tensor that a
`saved_tensors_hooks` pair has packed is left out; PyTorch does not check it either.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

_LONG = 64

# Names under which each class of nodes keeps tensors.
_ATTRIBUTES: dict[type, tuple[str, ...]] = {}

Node = Any  # torch.autograd.graph.Node; its classes are made at run time


@dataclass(frozen=True, slots=True)
class Kept:
    """One tensor that a node keeps, and the attribute that it is kept under."""

    tensor: Tensor
    attribute: str
    index: int


def nodes_from(roots: Iterable[Node]) -> Iterator[Node]:
    """The nodes of a graph, each once, from its outputs to its leaves."""
    todo = list(roots)
    seen = set()
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        yield node
        todo.extend(source for source, _ in node.next_functions)


def kept_by(node: Node) -> Iterator[Kept]:
    """The tensors that a node keeps and that PyTorch's version check watches."""
    for attribute in _attributes(type(node)):
        try:
            raw = getattr(node, attribute)
        except RuntimeError:  # released by an earlier backward
            continue
        for index, saved in enumerate(raw if isinstance(raw, tuple) else (raw,)):
            if saved is None or saved.unpack_hook is not None:
                continue
            tensor = saved.data
            if tensor is not None:
                yield Kept(tensor, attribute, index)


def _attributes(kind: type) -> tuple[str, ...]:
    if kind not in _ATTRIBUTES:
        _ATTRIBUTES[kind] = tuple(name for name in dir(kind) if name.startswith("_raw_saved_"))
    return _ATTRIBUTES[kind]


def address(tensor: Tensor) -> int:
    """Identifies the memory of a tensor, as long as it lives; 0 if the tensor has none of its own."""
    try:
        return int(tensor.untyped_storage()._cdata)
    except (NotImplementedError, RuntimeError):  # sparse, or wrapped by a transform
        return 0


def version(tensor: Tensor) -> int | None:
    """The version counter; None for inference tensors, which have none."""
    return None if tensor.is_inference() else int(tensor._version)


def of_leaf(tensor: Tensor) -> bool:
    """Whether it is a leaf that requires grad, or a view of one."""
    base = tensor if tensor._base is None else tensor._base
    return base.is_leaf and base.requires_grad


def tensors_in(values: Iterable[object]) -> list[Tensor]:
    """The tensors among arguments, also those in lists, tuples and dicts of them."""
    found: list[Tensor] = []
    for value in values:
        if isinstance(value, torch.Tensor):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            # Data to make a tensor of may be long, and holds none.
            if len(value) < _LONG or not isinstance(value[0], (int, float, str)):
                found += tensors_in(value)
        elif isinstance(value, dict):
            found += tensors_in(value.values())
    return found
