"""What autograd saved: the tensors that the nodes of a graph keep for backward.

Reading them changes nothing: no hook is called and nothing is unpacked. A tensor that a
`saved_tensors_hooks` pair has packed is left out; PyTorch does not check it either.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from inplace_lint.runtime.recorder.records import Layout
from inplace_lint.torch_model.effects import Effects
from inplace_lint.torch_model.op_table import table

_LONG = 64

# The node of an in-place op on a view.
_WRAPPED = "torch::autograd::CopySlices"

HIDDEN = HIDDEN_RESULT, HIDDEN_OPERAND = "result of a wrapped node", "operand of a wrapped node"
"""In place of the attribute of a node that shows nothing of what it keeps."""

CHECKPOINTED = "argument of a checkpoint"
"""The same of what a checkpoint keeps outside the graph."""

# Names under which each class of nodes keeps tensors.
_ATTRIBUTES: dict[type, tuple[str, ...]] = {}

_SavedTensor = torch._C._autograd.SavedTensor
Node = Any  # torch.autograd.graph.Node; its classes are made at run time


@dataclass(slots=True, eq=False)
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
        yield from kept_under(attribute, raw if isinstance(raw, tuple) else (raw,))


def kept_under(attribute: str, saved: Iterable[Any]) -> Iterator[Kept]:
    """The tensors in saved variables, except for those that a hook has packed; other objects are passed over."""
    for index, each in enumerate(saved):
        if isinstance(each, _SavedTensor):
            raw: Any = each
            if raw.unpack_hook is None and (tensor := raw.data) is not None:
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
    try:
        return tensor._version
    except RuntimeError:
        return None


def versions(tensors: Sequence[Tensor]) -> list[int | None]:
    """The version counters of several tensors."""
    try:
        return [tensor._version for tensor in tensors]
    except RuntimeError:
        return [version(tensor) for tensor in tensors]


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


def root(output: Any) -> Node:
    """The node that a backward pass begins with; None for a leaf."""
    return output.grad_fn if isinstance(output, torch.Tensor) else getattr(output, "node", None)


def histories(touched: Iterable[Tensor], operands: Iterable[Tensor]) -> list[Node]:
    """What the tensors that an op gave or wrote come from.

    A view that was written is asked for through its base: its own history is remade, or refused,
    when asked for.
    """
    found = []
    for tensor in touched:
        base = tensor._base if any(tensor is operand for operand in operands) else None
        if tensor.requires_grad or (base is not None and base.requires_grad):
            found.append((tensor if base is None else base).grad_fn)
    return found


def hidden_saves(node: Node, name: str, written: Iterable[Tensor], operands: Sequence[Tensor]) -> Iterator[Kept]:
    """What an in-place op on a view may keep: autograd wraps its node, which then shows nothing.

    The op table tells whether the op keeps its result, and whether it keeps operands; not which.
    """
    if node.name() != _WRAPPED:
        return
    rows = table().overloads(name)
    if any(_keeps_result(row) for row in rows):
        yield from (Kept(tensor, HIDDEN_RESULT, index) for index, tensor in enumerate(written))
    if any(not save.clone and save.what not in row.writes for row in rows for save in row.saves):
        yield from (Kept(tensor, HIDDEN_OPERAND, index) for index, tensor in enumerate(operands[1:]))


def _keeps_result(row: Effects) -> bool:
    kept = {save.what for save in row.saves if not save.clone}
    return bool(row.writes) and bool(kept & {"result", "result0", *row.writes})


def part(tensor: Tensor, layout: Layout) -> Tensor | None:
    """What has this layout in the memory of a tensor; None if its elements are of another type."""
    if tensor.dtype is not layout.dtype or tensor.layout is not torch.strided:
        return None
    with torch.no_grad():
        whole = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
        return whole.set_(tensor.untyped_storage(), layout.offset, layout.size, layout.stride)


def same_values(a: Tensor, b: Tensor) -> bool:
    """Whether two tensors hold the same, not-a-number included."""
    return bool(((a == b) | ((a != a) & (b != b))).all())
