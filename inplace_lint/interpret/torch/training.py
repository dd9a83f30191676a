"""Training: backward passes, `torch.autograd`, optimizers, gradient hooks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress

from inplace_lint.interpret.state.run import Raised, Run
from inplace_lint.interpret.state.values import (
    Arguments,
    Cell,
    Dict,
    Function,
    Instance,
    Library,
    List,
    Method,
    Passed,
    Unknown,
    Value,
    resolve,
    tensors_of,
)
from inplace_lint.interpret.torch import hooks
from inplace_lint.interpret.torch.module_tree import bases_of
from inplace_lint.interpret.torch.ops import operand_of
from inplace_lint.source import ir
from inplace_lint.torch_model.constant import Constant
from inplace_lint.torch_model.events import Operand
from inplace_lint.torch_model.graph import heirs_of_one
from inplace_lint.torch_model.modes import modes
from inplace_lint.torch_model.op_names import LOAD_STATE_DICT, OPTIMIZER_STEP, ZERO_GRAD
from inplace_lint.torch_model.tensor import NO, AutogradMeta, Node, Tensor, any_of


def _keeps_graph(arguments: Arguments) -> bool:
    asked = [
        resolve(arguments.keywords[key].cell.value)
        for key in ("retain_graph", "create_graph")
        if key in arguments.keywords
    ]
    return any(value not in (False, None) for value in asked)


def backward(run: Run, roots: list[Operand], arguments: Arguments, node: ir.Node) -> None:
    """`loss.backward(...)`."""
    retain = resolve(arguments.get(1, "retain_graph"))
    keeps = _keeps_graph(arguments) or retain not in (False, None)
    hooks.accumulated(run, run.torch.backward(run.site(node), roots, "backward", keeps), node)


def backward_from(run: Run, histories: tuple[Node | AutogradMeta, ...], arguments: Arguments, node: ir.Node) -> None:
    """`loss.backward(...)` on what an unknown callee made."""
    keeps = _keeps_graph(arguments)
    hooks.accumulated(run, run.torch.backward(run.site(node), (), "backward", keeps, histories=histories), node)


def backward_of(run: Run, arguments: Arguments, node: ir.Node) -> bool:
    """`accelerator.backward(loss)`: backward on the argument; False if that is not known to have a graph."""
    passed = arguments.positional[0] if arguments.positional else None
    value = resolve(passed.cell.value) if passed is not None else None
    if isinstance(value, Unknown) and value.history:
        backward_from(run, value.history, arguments, node)
        return True
    roots = _tensors(passed, run)
    if roots:
        backward(run, roots, Arguments([], arguments.keywords), node)
    return bool(roots)


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
    # What has no history here has one by `create_graph`; nobody differentiates what was overwritten since.
    for operand in (*_tensors(_argument(arguments, 2, "grad_outputs"), run), *roots):
        if operand not in roots or not operand.tensor.need:
            run.torch.read(operand, name)
    shared = _shared_gradients(run, roots, targets, node)
    run.torch.backward(run.site(node), roots, "grad", _keeps_graph(arguments), targets)
    made = List("tuple", open=not targets)
    create = resolve(arguments.keywords["create_graph"].cell.value) if "create_graph" in arguments.keywords else False
    for target in targets:
        if create:
            # The gradient is a function of what the forward pass saved.
            site, need = run.site(node), any_of(root.tensor.need for root in roots)
            edges = run.torch.edges([root.tensor for root in roots], site)
            gradient = run.torch.tensor(site, NO, dtype=target.tensor.dtype)
            gradient.family.node = (
                Node("torch.autograd.grad", site, edges, (), need, made_at=run.torch.clock) if need else None
            )
        elif target.tensor in shared:
            gradient = shared[target.tensor]
        else:
            gradient = run.torch.tensor(run.site(node), NO, dtype=target.tensor.dtype)
        place = (id(made), len(made.items))
        made.items.append(run.cell(place, "", "element", gradient, run.site(node), None))
    if not targets and not create:  # of tensors that nobody knows
        made.items += [Cell(run.torch.tensor(run.site(node), NO)) for _ in range(run.turns)]
    return Cell(made)


def _shared_gradients(run: Run, roots: list[Operand], targets: list[Operand], node: ir.Node) -> dict[Tensor, Tensor]:
    """One gradient for several tensors that were but added, unless they are known to differ in size."""
    site = run.site(node)
    tensors: dict[Node | AutogradMeta, Tensor] = {}
    for target in targets:
        for edge in run.torch.edges([target.tensor], site):
            tensors[edge] = target.tensor
    shared: dict[Tensor, Tensor] = {}
    for heirs in heirs_of_one(run.torch.edges([root.tensor for root in roots], site), tensors) if targets[1:] else ():
        if len({tensors[heir].sizes for heir in heirs} - {None}) <= 1:
            gradient = run.torch.tensor(site, NO, dtype=tensors[heirs[0]].dtype)
            gradient.storage.share("repeated", run.torch.clock)
            shared.update((tensors[heir], gradient) for heir in heirs)
    return shared


def autograd_backward(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    """`torch.autograd.backward(tensors, ...)`."""
    roots, keeps = _tensors(_argument(arguments, 0, "tensors"), run), _keeps_graph(arguments)
    hooks.accumulated(run, run.torch.backward(run.site(node), roots, "backward", keeps), node)
    return Cell(None)


def gradient_hook(run: Run, tensor: Tensor, arguments: Arguments, node: ir.Node) -> None:
    """`tensor.register_hook(f)`: the hook is run once on a gradient."""
    if not arguments.positional:
        return
    with modes(run.torch, grad=False), suppress(Raised):  # it would raise in backward
        gradient = run.torch.tensor(run.site(node), NO, dtype=tensor.dtype, label="gradient")
        gradient.storage.share("gradient", run.torch.clock)
        cell = run.cell(("gradient", id(tensor)), "the incoming gradient", "element", gradient, run.site(node), None)
        run.call(arguments.positional[0].cell, Arguments([Passed(cell, node, "", run.torch.clock)]), node)


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
    loose, groups = List("list"), List("list")
    for item in run.elements(passed.cell, node).items:
        value = resolve(item.value)
        if isinstance(value, Dict):
            groups.items.append(Cell(_group(run, value, node)))
        elif isinstance(value, (Tensor, Unknown)):
            loose.items.append(item)
    if loose.items or not groups.items:
        groups.items.append(Cell(Dict({_PARAMS: Cell(loose)}, open=True)))
    instance.give("param_groups", Cell(groups))
    instance.give("state", Cell(Dict(open=True, makes=Library("builtins.dict"))))
    momentum = resolve(arguments.get(2, "momentum"))
    if _STATELESS.isdisjoint(bases_of(instance)) or (isinstance(momentum, float) and momentum):
        instance.held[_MOMENTS] = Cell(None)


_PARAMS = Constant("params")


def _group(run: Run, given: Dict, node: ir.Node) -> Dict:
    params = given.items.get(_PARAMS, Cell(List("list")))
    return Dict({**given.items, _PARAMS: Cell(run.elements(params, node))}, open=True)


def is_optimizer(instance: Instance) -> bool:
    """Whether an instance is an optimizer."""
    return any(name.startswith("torch.optim.") for name in bases_of(instance))


def _step(run: Run, instance: Instance, arguments: Arguments, node: ir.Node) -> Cell:
    """Runs the closure, if there is one; writes every parameter that it was given, under no_grad."""
    closure, loss = arguments.get(0, "closure"), Cell(None)
    if isinstance(closure, (Function, Method)):
        with modes(run.torch, grad=True):
            loss = run.call(Cell(closure), Arguments(), node)
    with modes(run.torch, grad=False):
        stepped = _stepped(instance)
        # A parameter that no backward has reached has no gradient, and is left alone.
        known = any(tensor.family.reached for _, tensor in stepped)
        for own, tensor in stepped:
            if tensor.need and (tensor.family.reached or not known):
                target = Operand(tensor, run.site(node), own.slot, run.torch.clock, tensor.label, own.way)
                run.torch.write(target, OPTIMIZER_STEP, run.site(node), NO, True, "statement")
        _update_moments(run, instance, node)
    return loss


def _update_moments(run: Run, instance: Instance, node: ir.Node) -> None:
    """The first step makes what an optimizer remembers of the gradients, each later one writes it."""
    moments = instance.held.get(_MOMENTS)
    if moments is not None and isinstance(tensor := resolve(moments.value), Tensor):
        target = Operand(tensor, run.site(node), None, run.torch.clock, tensor.label)
        run.torch.write(target, OPTIMIZER_STEP, run.site(node), NO, use="statement")
    elif moments is not None:
        instance.held[_MOMENTS] = Cell(run.torch.tensor(run.site(node), NO, label="state_dict()"))


_MOMENTS = "<moments>"
# These remember nothing, unless they have a momentum.
_STATELESS = frozenset({"torch.optim.SGD", "torch.optim.Optimizer"})


def _state_dict(run: Run, instance: Instance, arguments: Arguments, node: ir.Node) -> Cell:
    """References to the optimizer's own moments. Source: `torch/optim/optimizer.py`."""
    made = Dict(open=True)
    moments = instance.held.get(_MOMENTS)
    if moments is not None:
        place = run.cell((id(made), _MOMENTS), "state_dict()", "element", moments.value, run.site(node), None)
        if place.slot is not None:
            place.slot.detached = True
        made.items[_MOMENTS] = place
    return Cell(made)


def _load_state_dict(run: Run, instance: Instance, arguments: Arguments, node: ir.Node) -> Cell:
    """Takes over the moments that it is given, unless their dtype or device has to change."""
    source = resolve(arguments.get(0, "state_dict"))
    for entry in source.items.values() if isinstance(source, Dict) else ():
        if isinstance(tensor := resolve(entry.value), Tensor):
            run.torch.read(Operand(tensor, run.site(node), entry.slot, run.torch.clock, ""), LOAD_STATE_DICT)
    given = source.items.get(_MOMENTS) if isinstance(source, Dict) else None
    if given is not None or _MOMENTS in instance.held:
        moments = given.value if given is not None else run.torch.tensor(run.site(node), NO, label="state_dict()")
        instance.held[_MOMENTS] = Cell(moments)
    return Cell(None)


def _stepped(instance: Instance) -> list[tuple[Cell, Tensor]]:
    cell = instance.attribute("param_groups")
    cells = tensors_of(cell.value if cell is not None else None, 2000)
    found: dict[Tensor, Cell] = {}  # each is stepped once, in however many groups it is
    for own, _ in cells:
        if isinstance(tensor := resolve(own.value), Tensor):
            found.setdefault(tensor, own)
    return [(own, tensor) for tensor, own in found.items()]


def forget_gradients(run: Run, tensors: Iterable[Tensor], arguments: Arguments, node: ir.Node) -> None:
    """`zero_grad()` sets gradients to None, unless told to fill them with zeros."""
    filled = resolve(arguments.get(0, "set_to_none")) is False
    for tensor in tensors:
        if filled:
            run.torch.write_gradient(tensor.family, ZERO_GRAD, run.site(node))
        else:
            tensor.family.reached, tensor.family.grad = False, None


def clip_gradients(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    """`clip_grad_norm_(parameters, ...)` writes the gradients."""
    if arguments.positional:
        for item in run.elements(arguments.positional[0].cell, node).items:
            if isinstance(tensor := resolve(item.value), Tensor):
                run.torch.write_gradient(tensor.family, name, run.site(node))
    return Cell(run.unknown(run.key(node)))


def _zero_grad(run: Run, instance: Instance, arguments: Arguments, node: ir.Node) -> Cell:
    forget_gradients(run, (tensor for _, tensor in _stepped(instance)), arguments, node)
    return Cell(None)


def _add_group(run: Run, instance: Instance, arguments: Arguments, node: ir.Node) -> Cell:
    group, cell = resolve(arguments.get(0, "param_group")), instance.attribute("param_groups")
    if isinstance(group, Dict) and cell is not None and isinstance(cell.value, List):
        cell.value.items.append(Cell(_group(run, group, node)))
    return Cell(None)


METHODS: dict[str, Callable[[Run, Instance, Arguments, ir.Node], Cell]] = {
    "step": _step,
    "zero_grad": _zero_grad,
    "add_param_group": _add_group,
    "state_dict": _state_dict,
    "load_state_dict": _load_state_dict,
}
