"""Training: backward passes, `torch.autograd`, optimizers, gradient hooks."""

from __future__ import annotations

from collections.abc import Callable

from inplace_lint.interpret import attributes, iteration
from inplace_lint.interpret.run import Run, plain, tensors_of
from inplace_lint.interpret.torch_ops import operand_of
from inplace_lint.interpret.values import Arguments, Cell, Class, Dict, Instance, List, Passed, Value
from inplace_lint.source import ir
from inplace_lint.torch_model.events import Operand
from inplace_lint.torch_model.tensor import NO, Family, Node, Tensor


def _keeps_graph(arguments: Arguments) -> bool:
    asked = [
        plain(arguments.keywords[key].cell.value)
        for key in ("retain_graph", "create_graph")
        if key in arguments.keywords
    ]
    return any(value not in (False, None) for value in asked)


def backward(run: Run, roots: list[Operand], arguments: Arguments, node: ir.Node) -> None:
    """`loss.backward(...)`."""
    retain = plain(arguments.get(1, "retain_graph"))
    run.torch.backward(run.site(node), roots, "backward", _keeps_graph(arguments) or retain not in (False, None))


def backward_from(run: Run, histories: tuple[Node | Family, ...], arguments: Arguments, node: ir.Node) -> None:
    """`loss.backward(...)` on what an unknown callee made."""
    run.torch.backward(run.site(node), (), "backward", _keeps_graph(arguments), histories=histories)


def _tensors(passed: Passed | None, run: Run) -> list[Operand]:
    if passed is None:
        return []
    bound = operand_of(run, passed)
    if isinstance(bound, Operand):
        return [bound]
    return [operand for operand in bound if isinstance(operand, Operand)] if isinstance(bound, list) else []


def _argument(arguments: Arguments, index: int, name: str) -> Passed | None:
    if name in arguments.keywords:
        return arguments.keywords[name]
    return arguments.positional[index] if index < len(arguments.positional) else None


def autograd_grad(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    """`torch.autograd.grad(outputs, inputs, ...)`."""
    roots = _tensors(_argument(arguments, 0, "outputs"), run)
    targets = _tensors(_argument(arguments, 1, "inputs"), run)
    run.torch.backward(run.site(node), roots, "grad", _keeps_graph(arguments), targets)
    made = List("tuple", open=not targets)
    create = plain(arguments.keywords["create_graph"].cell.value) if "create_graph" in arguments.keywords else False
    for target in targets:
        if create:
            gradient = run.torch.unknown(run.site(node), target.tensor.need, dtype=target.tensor.dtype)
        else:
            gradient = run.torch.tensor(run.site(node), NO, dtype=target.tensor.dtype)
        made.items.append(Cell(gradient))
    return Cell(made)


def autograd_backward(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    """`torch.autograd.backward(tensors, ...)`."""
    run.torch.backward(
        run.site(node), _tensors(_argument(arguments, 0, "tensors"), run), "backward", _keeps_graph(arguments)
    )
    return Cell(None)


def gradient_hook(run: Run, tensor: Tensor, arguments: Arguments, node: ir.Node) -> None:
    """`tensor.register_hook(f)`: the hook is run once on a gradient."""
    from inplace_lint.interpret.calls import call

    if not arguments.positional:
        return
    grad_mode, run.torch.grad_mode = run.torch.grad_mode, False
    gradient = run.torch.tensor(run.site(node), NO, dtype=tensor.dtype, label="gradient")
    gradient.storage.role = "gradient"
    cell = run.cell(("gradient", id(tensor)), "the incoming gradient", "element", gradient, run.site(node), None)
    call(run, arguments.positional[0].cell, Arguments([Passed(cell, node, "", run.torch.clock)]), node)
    run.torch.grad_mode = grad_mode


def optimizer(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Value:
    """An optimizer of `torch.optim`, with the parameters that it was given."""
    instance = Instance(name, key=run.key(node), label=name.rpartition(".")[2])
    remember_parameters(run, instance, arguments, node)
    return instance


def remember_parameters(run: Run, instance: Instance, arguments: Arguments, node: ir.Node) -> None:
    """The parameters that an optimizer steps: a list of tensors, or of groups."""
    passed = _argument(arguments, 0, "params")
    if passed is None:
        return
    found = List("list")
    items = iteration.elements(run, passed.cell, node)
    for item in items.items:
        value = plain(item.value)
        if isinstance(value, Dict):
            group = value.items.get(("constant", "str", "params"))
            if group is not None:
                found.items.extend(iteration.elements(run, group, node).items)
        elif isinstance(value, Tensor):
            found.items.append(item)
    instance.attributes["<parameters>"] = Cell(found)


def is_optimizer(instance: Instance) -> bool:
    """Whether an instance is an optimizer."""
    if isinstance(instance.cls, Class):
        return any(name.startswith("torch.optim.") for name in attributes.library_bases(instance.cls))
    return instance.cls.startswith("torch.optim.")


def _step(run: Run, instance: Instance, arguments: Arguments, node: ir.Node) -> Cell:
    """Writes every parameter that it was given, under no_grad."""
    cell = instance.attributes.get("<parameters>")
    found = cell.value if cell is not None else None
    grad_mode, run.torch.grad_mode = run.torch.grad_mode, False
    for own, _ in tensors_of(found):
        tensor = plain(own.value)
        assert isinstance(tensor, Tensor)
        if tensor.need:
            target = Operand(tensor, run.site(node), own.slot, run.torch.clock, tensor.label)
            run.torch.write(target, "optimizer.step", run.site(node), NO, filler=True).use = "statement"
    run.torch.grad_mode = grad_mode
    return Cell(None)


def _nothing(run: Run, instance: Instance, arguments: Arguments, node: ir.Node) -> Cell:
    return Cell(None)


def _add_group(run: Run, instance: Instance, arguments: Arguments, node: ir.Node) -> Cell:
    return Cell(None)


METHODS: dict[str, Callable[[Run, Instance, Arguments, ir.Node], Cell]] = {
    "step": _step,
    "zero_grad": _nothing,
    "add_param_group": _add_group,
    "state_dict": lambda run, instance, arguments, node: Cell(Dict(open=True)),
    "load_state_dict": _nothing,
}
