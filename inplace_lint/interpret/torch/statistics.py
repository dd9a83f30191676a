"""Running statistics: in training, normalization changes them, and no version counter tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from inplace_lint.interpret.state.result_binding import result_binding
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Arguments, Passed, Ref, Value, resolve
from inplace_lint.interpret.torch.ops import apply, operand_of
from inplace_lint.source import ir
from inplace_lint.torch_model.op_names import in_training
from inplace_lint.torch_model.operands import Operand
from inplace_lint.torch_model.tensor import NO, Tensor

_NAMES = ("running_mean", "running_var")


def update(run: Run, name: str, value: Value, bound: Mapping[str, object], node: ir.Node) -> None:
    """A layer, or a function that does the same, has given a value in training, and changes its statistics unseen.

    Its backward does not use them.
    """
    statistics = [operand for key in _NAMES if isinstance(operand := bound.get(key), Operand)]
    if isinstance(value, Tensor) and value.autograd_meta.node is not None:
        for save in value.autograd_meta.node.saves:
            save.unused = any(save.storage is operand.tensor.storage for operand in statistics)
    for operand in statistics:
        hidden = replace(operand, tensor=run.torch.data(operand.tensor, run.site(node)))
        run.torch.write(hidden, in_training(name), run.site(node), NO, True, "statement")


def functional(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """`torch.nn.functional.batch_norm`."""
    value = apply(run, name, arguments, node)
    if resolve(arguments.get(5, "training")) is True:
        given = {key: arguments.keywords.get(key) or _at(arguments, index + 1) for index, key in enumerate(_NAMES)}
        bound = {key: operand_of(run, passed) for key, passed in given.items() if passed is not None}
        update(run, name, value, bound, node)
    first = arguments.keywords.get("input") or _at(arguments, 0)
    return Ref(value, result_binding(run, value, first.ref if first is not None else None))


def _at(arguments: Arguments, index: int) -> Passed | None:
    return arguments.positional[index] if index < len(arguments.positional) else None
