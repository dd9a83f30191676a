"""What a row of the op table says of one call, when its parameters are bound to arguments."""

from __future__ import annotations

from collections.abc import Mapping

from inplace_lint.torch_model import layout
from inplace_lint.torch_model.effects import Effects, Origin, Output, SaveSpec
from inplace_lint.torch_model.events import Operand, operands_in
from inplace_lint.torch_model.tensor import RequiresGrad, any_of

Arguments = Mapping[str, object]


def condition(spec: SaveSpec, arguments: Arguments, recorded: RequiresGrad) -> RequiresGrad:
    """Who must require grad for something to be saved, and whether they do."""
    if not recorded or not spec.when or spec.when == ("others",):
        return recorded
    return any_of(operand.tensor.flows for name in spec.when for operand in operands_in(arguments.get(name)))


def origin_of(output: Output, row: Effects, arguments: Arguments) -> tuple[Origin, Operand | None]:
    """What a result has to do with an argument, and that argument."""
    source = next(operands_in(arguments.get(output.of)), None) if output.of else None
    if source is not None and layout.is_copied(row, output, source.tensor):
        return "fresh", source
    return "alias" if output.origin == "maybe" else output.origin, source
