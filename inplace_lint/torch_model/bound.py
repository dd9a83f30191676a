"""A row of the op table applied to one call, with its parameters bound to arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from inplace_lint.source.place import Site
from inplace_lint.torch_model import layout
from inplace_lint.torch_model.effects import Effects, Origin, Output, SaveSpec
from inplace_lint.torch_model.operands import Operand, operands_in
from inplace_lint.torch_model.tensor import NO, RequiresGrad, Storage, any_of, on_gpu

Arguments = Mapping[str, object]


@dataclass(slots=True, eq=False)
class Application:
    """One op as it is applied.

    Args:
        operands: the tensors whose values it may look at.
        written: the tensors that it writes.
        recorded: whether autograd records it, for an operand requires grad.
        stopped: autograd refuses what it writes.
        mapped: inside `vmap`, the memory that has a part for each mapped element, if an operand has such.
    """

    op: str
    row: Effects
    arguments: Arguments
    site: Site
    operands: list[Operand]
    written: list[Operand] = field(init=False)
    recorded: RequiresGrad = NO
    stopped: bool = False
    mapped: set[Storage] | None = None

    def __post_init__(self) -> None:
        self.written = [each for name in self.row.writes for each in operands_in(self.arguments.get(name))]

    def read_only(self) -> list[Operand]:
        """The operands that it does not write."""
        return [operand for operand in self.operands if operand not in self.written]


def condition(spec: SaveSpec, arguments: Arguments, recorded: RequiresGrad) -> RequiresGrad:
    """Who must require grad for something to be saved, and whether they do."""
    need = recorded
    if recorded and spec.when and not spec.for_others:
        need = any_of(operand.tensor.flows for name in spec.when for operand in operands_in(arguments.get(name)))
    return on_gpu(need) if spec.gpu else need


def origin_of(output: Output, row: Effects, arguments: Arguments, alike: bool) -> tuple[Origin, Operand | None, bool]:
    """What a result has to do with an argument, that argument, and whether that is open.

    Args:
        alike: on this path, what is open is decided for no copy.
    """
    source = next(operands_in(arguments.get(output.of)), None) if output.of else None
    copied = source is not None and layout.is_copied(row, output, source.tensor)
    if copied or (copied is None and not alike):
        return "fresh", source, copied is None
    return "alias" if output.origin == "maybe" else output.origin, source, copied is None


def clones_written(call: Application) -> bool:
    """Whether autograd keeps a copy of the old value of what an op writes."""
    return any(spec.clone and condition(spec, call.arguments, call.recorded) for spec in call.row.saves)
