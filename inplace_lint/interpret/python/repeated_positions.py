"""Additions at positions that repeat: `counts[labels] += 1` takes all elements out first, and puts each back once."""

from __future__ import annotations

from collections.abc import Sequence

from inplace_lint.interpret.python.indices import Part, is_count
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Ref, Unknown, Value, resolve
from inplace_lint.judgement.reason import suspect
from inplace_lint.source import ir
from inplace_lint.source.label_names import are_labels, may_be_labels, may_be_places
from inplace_lint.source.spelling import last_word
from inplace_lint.torch_model.events import Write
from inplace_lint.torch_model.labels import last_name
from inplace_lint.torch_model.subscript import Advanced, Position, Unsure
from inplace_lint.torch_model.tensor import Tensor

REPEATED_LABELS = suspect(
    "repeated-labels",
    "same-expression",
    "positions that go by a name like `labels`, `preds` or `edge_index` repeat",
    """
    import torch


    def counted(labels):
        counts = torch.zeros(3)
        counts[labels] += 1
        return counts


    result = eval("counted")(torch.tensor([0, 1, 1]))
    """,
)

ADDED_TO_ZEROS = suspect(
    "added-to-zeros",
    "same-expression",
    "who adds a tensor to new zeros at positions that callers bring, instead of assigning it, counts on sums",
    """
    import torch


    def summed(rows, index: torch.Tensor, size: int):
        sums = rows.new_zeros(size)
        sums[index] += rows
        return sums


    result = eval("summed")(torch.ones(3), torch.tensor([0, 1, 1]), 2)
    """,
)

# Methods that give the elements of a tensor as they are.
_KEEPING = frozenset("view reshape flatten ravel squeeze long int to cpu cuda detach contiguous clone".split())


def note_repeated(run: Run, node: ir.AugAssign, base: Ref, index: Sequence[Part]) -> None:
    """Note of `base[index] += value`, which was just run, that several elements are added to one place."""
    tensor = resolve(base.value)
    if node.op not in ("+", "-") or not isinstance(tensor, Tensor) or tensor.array:
        return
    positions = [part for part in index if isinstance(part.cut, (Advanced, Unsure))]
    repeat = [_repeats(run, part) for part in positions]
    if any(repeat) and all(surely or _may_be_labels(part) for surely, part in zip(repeat, positions, strict=True)):
        last = next((event for event in reversed(run.torch.trace.events) if isinstance(event, Write)), None)
        if last is not None and last.storage is tensor.storage:
            last.note("repeated")
    elif ADDED_TO_ZEROS.on and len(positions) == 1 and _is_brought(positions[0]) and _is_tensor(run, node.value):
        _note_first(tensor)


def _note_first(tensor: Tensor) -> None:
    """Note of what was just added to a tensor that it is the first that came to new zeros."""
    written = tensor.storage.writes
    if len(written) == 1 and tensor.storage.filling == "zeros":
        written[0][0].note("added-to-zeros")


def _is_brought(part: Part) -> bool:
    """Whether positions are a tensor of whole numbers that callers bring, or make so that some may be the same."""
    value = resolve(part.ref.value) if part.ref is not None else None
    named = part.node is not None and may_be_places(last_word(_whole(part.node)))
    return named and isinstance(value, Tensor) and value.dtype != "bool" and value.storage.repeats is None


def _is_tensor(run: Run, node: ir.Expr) -> bool:
    """Whether an expression gives no number, as far as is seen without computing it once more."""
    value = resolve(run.value_of(node)) if isinstance(node, ir.Name) else None
    return isinstance(value, Tensor) if isinstance(node, ir.Name) else not isinstance(node, ir.Const)


def _repeats(run: Run, part: Part) -> bool:
    """Whether several of some positions are very likely the same."""
    value = resolve(part.ref.value) if part.ref is not None else None
    if part.node is not None and not (isinstance(value, Tensor) and value.sizes) and _takes_one(run, part.node):
        return False
    if isinstance(value, Tensor) and (value.dtype == "bool" or value.storage.repeats):
        return value.dtype != "bool" and not _is_coordinate(value)
    return REPEATED_LABELS.on and part.node is not None and _are_labels(run, _whole(part.node))


def _takes_one(run: Run, node: ir.Expr) -> bool:
    """Whether an expression takes one element out by numbers alone, as far as is known: `votes[order[i, k + 1]]`.

    A constant takes a part that is known by its place, such as a row: `edge_index[0]`.
    """
    if not isinstance(node, ir.Index):
        return False
    items = node.index.items if isinstance(node.index, ir.Sequence) else (node.index,)
    numbers = all(_is_number(run, item) or _takes_one(run, item) for item in items)
    return numbers and not all(isinstance(item, ir.Const) for item in items)


def _is_number(run: Run, node: ir.Expr, added: bool = False) -> bool:
    """Whether an expression is a number; `added` if one is added to it, as to positions that are counted."""
    if isinstance(node, ir.Binary):
        return _is_number(run, node.left, True) and _is_number(run, node.right, True)
    value = run.value_of(node) if isinstance(node, (ir.Name, ir.Const)) else None
    return isinstance(value, int) or (isinstance(value, Unknown) and (added or is_count(value)))


def _is_coordinate(value: Tensor) -> bool:
    """Whether it is one element of an array, such as the position of a point, by all that is known: `i, j = point`."""
    step = value.region[0] if value.region is not None and len(value.region) == 1 else None
    return value.array and isinstance(step, tuple) and len(step) == 1 and isinstance(step[0], Position)


def _are_labels(run: Run, node: ir.Expr) -> bool:
    """Whether an expression gives labels that callers bring, or a row of such: `source, target = edge_index`."""
    value: Value = run.value_of(node) if isinstance(node, ir.Name) else None
    whole, row, _ = value.label.partition("[") if isinstance(value, (Unknown, Tensor)) else ("", "", "")
    if not (are_labels(last_word(node)) or (row and are_labels(last_name(whole)))):
        return False
    return not isinstance(value, Tensor) or value.external


def _may_be_labels(part: Part) -> bool:
    """Whether positions beside others that repeat may be labels, too: `matrix[target, scores.argmax(1)]`."""
    return part.node is not None and may_be_labels(last_word(_whole(part.node)))


def _whole(node: ir.Expr) -> ir.Expr:
    """What elements are taken out of: `labels`, of `labels.view(-1)[mask]`."""
    while True:
        if isinstance(node, ir.Index):
            node = node.value
        elif isinstance(node, ir.Call) and isinstance(node.func, ir.Attr) and node.func.name in _KEEPING:
            node = node.func.value
        else:
            return node
