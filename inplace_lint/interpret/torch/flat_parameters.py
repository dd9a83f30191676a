"""Parameters as one vector, and a vector as parameters (torch/nn/utils/convert_parameters.py)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Arguments, Cell, List, Passed, plain
from inplace_lint.interpret.torch.ops import apply, unknown_call
from inplace_lint.source import ir
from inplace_lint.torch_model.tensor import Tensor


def to_vector(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    """`parameters_to_vector(parameters)`: a copy of all of them."""
    given = arguments.positional[0].cell if arguments.positional else Cell(None)
    cells = run.elements(given, node).items
    if not cells or not all(isinstance(plain(cell.value), Tensor) for cell in cells):
        return Cell(unknown_call(run, name, arguments, node))
    listed = Passed(Cell(List("list", cells)), node, "", run.torch.clock)
    return Cell(apply(run, "torch.cat", Arguments([listed]), node))


def from_vector(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    """`vector_to_parameters(vector, parameters)`: from now on the parameters are parts of the vector."""
    if len(arguments.positional) < 2:
        return Cell(unknown_call(run, name, arguments, node))
    vector, given = arguments.positional[0].cell, arguments.positional[1].cell
    value = plain(vector.value)
    for cell in run.elements(given, node).items:
        if isinstance(value, Tensor) and isinstance(plain(cell.value), Tensor):
            part = run.torch.view(value, run.site(node))
            run.set_attribute(cell, "data", Cell(part, vector.slot), node)
            if cell.slot is not None and vector.slot is not None:
                laid = replace(cell.slot, source=replace(vector.slot), detached=True, laid=True)
                laid.site, laid.bound_at = run.site(node), run.torch.clock
                cell.slot = laid
    return Cell(None)


HANDLERS: dict[str, Callable[[Run, str, Arguments, ir.Node], Cell]] = {
    f"torch.nn.utils.{inner}{name}": handler
    for inner in ("", "convert_parameters.")
    for name, handler in (("parameters_to_vector", to_vector), ("vector_to_parameters", from_vector))
}
