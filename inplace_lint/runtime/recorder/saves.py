"""What autograd saved: the tensors that the nodes of a graph keep for backward.

Reading them changes nothing: no hook is called and nothing is unpacked. A tensor that a
`saved_tensors_hooks` pair has packed is left out; PyTorch does not check it either.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils._mode_utils import no_dispatch

from inplace_lint.runtime.recorder.records import Layout
from inplace_lint.torch_model.effects import Effects
from inplace_lint.torch_model.op_table import table

_LONG = 64

WRAPPED = "torch::autograd::CopySlices"
"""The name of the node of an in-place op on a view."""

HIDDEN = HIDDEN_RESULT, HIDDEN_OPERAND = "result of a wrapped node", "operand of a wrapped node"
"""In place of the attribute of a node that shows nothing of what it keeps."""

CHECKPOINTED = "argument of a checkpoint"
"""The same of what a checkpoint keeps outside the graph."""

READ = "read under a checkpoint"
"""The same of what its function reads from outside."""

CHECKPOINT = "torch.utils.checkpoint.checkpoint"

# Names under which each class of nodes keeps tensors, each as the place of a single one.
_ATTRIBUTES: dict[type, tuple[tuple[str, int], ...]] = {}

_SavedTensor: Any = torch._C._autograd.SavedTensor
Node = Any  # torch.autograd.graph.Node; its classes are made at run time


@dataclass(slots=True, eq=False)
class Kept:
    """One tensor that a node keeps; `at` is the attribute that it is kept under, and its index there."""

    tensor: Tensor
    at: tuple[str, int]


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


def kept_by(node: Node) -> list[Kept]:
    """The tensors that a node keeps and that PyTorch's version check watches."""
    found: list[Kept] = []
    attributes = _ATTRIBUTES.get(type(node))
    for at in _attributes(type(node)) if attributes is None else attributes:
        try:
            raw: Any = getattr(node, at[0])
        except RuntimeError:  # released by an earlier backward
            continue
        if isinstance(raw, tuple):
            found += kept_under(at[0], raw)
        elif type(raw) is _SavedTensor and (tensor := raw.data) is not None and raw.unpack_hook is None:
            found.append(Kept(tensor, at))
    return found


def kept_under(attribute: str, saved: Iterable[Any]) -> list[Kept]:
    """The tensors in saved variables, except for those that a hook has packed; other objects are passed over."""
    found: list[Kept] = []
    for index, each in enumerate(saved):
        if isinstance(each, _SavedTensor):
            raw: Any = each
            if raw.unpack_hook is None and (tensor := raw.data) is not None:
                found.append(Kept(tensor, (attribute, index)))
    return found


def _attributes(kind: type) -> tuple[tuple[str, int], ...]:
    found = _ATTRIBUTES[kind] = tuple((name, 0) for name in dir(kind) if name.startswith("_raw_saved_"))
    return found


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
        base = tensor._base
        past = tensor if base is None or not any(tensor is operand for operand in operands) else base
        if (tensor.requires_grad or past.requires_grad) and (node := past.grad_fn) is not None:
            found.append(node)
    return found


def may_write(name: str, given: Iterable[object], kwargs: Mapping[str, object]) -> bool:
    """Whether an op may write what it is given; of one that is not in the table, nobody can tell."""
    asked = "out" in kwargs or kwargs.get("max_norm") is not None or any(option is True for option in given)
    return asked or name.endswith("_") or not table().knows(name)


def hidden_saves(name: str, written: Iterable[Tensor], operands: Sequence[Tensor]) -> Iterator[Kept]:
    """What an in-place op on a view may keep: its node is WRAPPED, and shows nothing.

    The op table tells whether the op keeps its result, and whether it keeps operands; not which.
    """
    rows = table().overloads(name)
    if any(_keeps_result(row) for row in rows):
        yield from (Kept(tensor, (HIDDEN_RESULT, index)) for index, tensor in enumerate(written))
    if any(not save.clone and save.what not in row.writes for row in rows for save in row.saves):
        yield from (Kept(tensor, (HIDDEN_OPERAND, index)) for index, tensor in enumerate(operands[1:]))


def _keeps_result(row: Effects) -> bool:
    kept = {save.what for save in row.saves if not save.clone}
    return bool(row.writes) and bool(kept & {"result", "result0", *row.writes})


def aside() -> AbstractContextManager[Any]:
    """Ops that run inside are hidden from dispatch modes: selective checkpoints count what they see."""
    return no_dispatch() if torch._C._len_torch_dispatch_stack() else nullcontext()


def part(tensor: Tensor, layout: Layout) -> Tensor | None:
    """What has this layout in the memory of a tensor; None if its elements are of another type."""
    if tensor.dtype is not layout.dtype or tensor.layout is not torch.strided:
        return None
    with torch.no_grad(), aside():
        whole = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
        return whole.set_(tensor.untyped_storage(), layout.offset, layout.size, layout.stride)


def same_values(a: Tensor, b: Tensor) -> bool:
    """Whether two tensors hold the same, not-a-number included."""
    with aside():
        return bool(((a == b) | ((a != a) & (b != b))).all())


def copied(tensor: Tensor) -> Tensor:
    """A copy."""
    with aside():
        return tensor.clone()
