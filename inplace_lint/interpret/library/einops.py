"""The functions and layers of einops: which of them give views."""

from __future__ import annotations

import re
from collections.abc import Callable

from inplace_lint.interpret.state.run import Run, result_slot
from inplace_lint.interpret.state.values import Arguments, Cell, List, Native, Passed, Unknown, Value, plain
from inplace_lint.interpret.torch.ops import apply, unknown_call
from inplace_lint.interpret.torch.results import METHOD
from inplace_lint.source import ir
from inplace_lint.torch_model.tensor import Tensor


def _einops(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    """`rearrange` and its like: a view where no axes are merged, otherwise taken for a copy."""
    first, others = arguments.split("tensor")
    if first is None:
        return Cell(unknown_call(run, name, arguments, node))
    value = plain(first.cell.value)
    if isinstance(value, Unknown):
        run.promote(value, run.site(node))
        value = plain(value)
    if isinstance(value, Tensor):
        pattern = plain(others.get(0, "pattern"))
        if name.endswith(("rearrange", "repeat")) and is_view_pattern(pattern):
            view = run.torch.view(value, run.site(node), contiguous=False)
            view.expanded = view.expanded or _repeats(str(pattern), arguments)
            return Cell(view, result_slot(run, view, first.cell))
        return Cell(apply(run, METHOD + "clone", Arguments([first]), node))
    if isinstance(value, List):
        return Cell(apply(run, "torch.stack", Arguments([first]), node))
    return Cell(unknown_call(run, name, arguments, node))


def _einops_layer(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    function = "einops.rearrange" if name.endswith("Rearrange") else "einops.reduce"

    def layer(later: Arguments) -> Value:
        merged = Arguments([*later.positional[:1], *arguments.positional], arguments.keywords)
        return _einops(run, function, merged, node).value

    return Cell(Native(name, layer))


def _einsum(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    """einops puts the equation last."""
    *tensors, equation = arguments.positional or [Passed(Cell(None), node, "", run.torch.clock)]
    return Cell(apply(run, "torch.einsum", Arguments([equation, *tensors]), node))


def _pack(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    tensors, _ = arguments.split("tensors")
    if tensors is None:
        return Cell(unknown_call(run, name, arguments, node))
    packed = apply(run, "torch.cat", Arguments([tensors]), node)
    return Cell(List("tuple", [Cell(packed), Cell(run.unknown(run.key(node)))]))


def _unpack(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    value = plain(arguments.get(0, "tensor"))
    if not isinstance(value, Tensor):
        return Cell(unknown_call(run, name, arguments, node))
    slot = arguments.positional[0].cell.slot if arguments.positional else None
    parts = [Cell(run.torch.view(value, run.site(node), contiguous=None), slot) for _ in range(2)]
    return Cell(List("list", parts, True))


def is_view_pattern(pattern: object) -> bool:
    """Whether an einops pattern only splits and permutes axes, which never copies; `(...)` may merge several."""
    if not isinstance(pattern, str) or "->" not in pattern:
        return False
    right = pattern.partition("->")[2]
    groups = re.findall(r"\(([^()]*)\)", right)
    return all(len(group.split()) <= 1 and "..." not in group for group in groups)


def _repeats(pattern: str, arguments: Arguments) -> bool:
    """Whether a pattern repeats the tensor along a new axis: that is an `expand`."""
    left, _, right = pattern.partition("->")
    new = set(re.findall(r"[a-z_]\w*", right)) - set(re.findall(r"[a-z_]\w*", left))
    sizes = (arguments.keywords.get(axis) for axis in new)
    return any(size is None or plain(size.cell.value) != 1 for size in sizes)


HANDLERS: dict[str, Callable[[Run, str, Arguments, ir.Node], Cell]] = {
    "einops.einsum": _einsum,
    "einops.pack": _pack,
    "einops.unpack": _unpack,
    "einops.layers.torch.Rearrange": _einops_layer,
    "einops.layers.torch.Reduce": _einops_layer,
    "einops.rearrange": _einops,
    "einops.reduce": _einops,
    "einops.repeat": _einops,
}
