"""`torch.nn.utils.parametrize`: an attribute of a module that another module computes at each read."""

from __future__ import annotations

from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Arguments, Cell, Instance, Passed, resolve
from inplace_lint.interpret.torch import modules
from inplace_lint.source import ir


def register(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    """`register_parametrization(module, tensor_name, parametrization)` (torch/nn/utils/parametrize.py)."""
    owner, attribute = (resolve(arguments.get(0, "module")), resolve(arguments.get(1, "tensor_name")))
    made = resolve(arguments.get(2, "parametrization"))
    given = arguments.positional[0].cell if arguments.positional else Cell(owner)
    if not isinstance(owner, Instance) or not isinstance(attribute, str) or not isinstance(made, Instance):
        return given
    original = owner.attribute(attribute)
    if original is None:
        return given
    owner.held.pop(attribute, None)
    owner.give(f"parametrizations.{attribute}.original", original)
    owner.give(f"parametrizations.{attribute}.0", Cell(made))

    def compute() -> Cell:
        passed = Passed(original, node, attribute, run.torch.clock)
        return modules.call_instance(run, Cell(made), made, Arguments([passed]), node)

    owner.computed[attribute] = compute
    return given
