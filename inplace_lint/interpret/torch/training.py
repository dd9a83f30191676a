"""Training: backward passes, `torch.autograd`, and what is done to gradients."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from inplace_lint.interpret.state.conditions import is_taken_for
from inplace_lint.interpret.state.keys import TakenFor
from inplace_lint.interpret.state.run import Raised, Run
from inplace_lint.interpret.state.values import (
    Arguments,
    List,
    Option,
    Passed,
    Ref,
    Unknown,
    Value,
    identity,
    resolve,
)
from inplace_lint.interpret.torch import hooks
from inplace_lint.interpret.torch.ops import operand_of
from inplace_lint.source import ir
from inplace_lint.torch_model.graph import heirs_of_one
from inplace_lint.torch_model.modes import modes
from inplace_lint.torch_model.op_names import ZERO_GRAD
from inplace_lint.torch_model.operands import Operand
from inplace_lint.torch_model.tensor import NO, AutogradMeta, Node, Tensor, any_of, assumed


def _keeps_graph(arguments: Arguments) -> bool:
    asked = [
        resolve(arguments.keywords[key].ref.value)
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
    value = resolve(passed.ref.value) if passed is not None else None
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


def argument(arguments: Arguments, index: int, name: str) -> Passed | None:
    """An argument by position or name."""
    if name in arguments.keywords:
        return arguments.keywords[name]
    return arguments.positional[index] if index < len(arguments.positional) else None


def autograd_grad(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """`torch.autograd.grad(outputs, inputs, ...)`."""
    roots = _tensors(argument(arguments, 0, "outputs"), run)
    targets = _tensors(argument(arguments, 1, "inputs"), run)
    # What has no history here has one by `create_graph`; nobody differentiates what was overwritten since.
    for operand in (*_tensors(argument(arguments, 2, "grad_outputs"), run), *roots):
        if operand not in roots or not operand.tensor.need:
            run.torch.read(operand, name)
    shared = _shared_gradients(run, roots, targets, node)
    create = _creates_graph(run, arguments.keywords.get("create_graph"))
    recorded = create not in (False, None)
    run.torch.backward(run.site(node), roots, "grad", _keeps_graph(arguments), targets, create=recorded)
    made = List("tuple", open=not targets)
    for target in targets:
        if create:
            # The gradient is a function of what the forward pass saved.
            site, need = run.site(node), any_of(root.tensor.need for root in roots)
            edges = run.torch.edges([root.tensor for root in roots], site)
            gradient = run.torch.tensor(site, NO, dtype=target.tensor.dtype)
            gradient.autograd_meta.node = (
                Node("torch.autograd.grad", site, edges, (), need, made_at=run.torch.clock) if need else None
            )
        elif target.tensor in shared:
            gradient = shared[target.tensor]
        else:
            gradient = run.torch.tensor(run.site(node), NO, dtype=target.tensor.dtype)
        place = run.place(made, len(made.items))
        made.items.append(run.ref(place, "", "element", gradient, None, None))
    if not targets:  # of tensors that nobody knows
        need = assumed("the gradient") if create else NO
        made.items += [Ref(run.torch.unknown(run.site(node), need)) for _ in range(run.turns)]
    return Ref(made)


def _creates_graph(run: Run, passed: Passed | None) -> Value:
    """What `create_graph` is; where an option decides (`create_graph=not self.first_order`), both are worth a path."""
    if passed is None:
        return False
    value, node = passed.ref.value, passed.node
    turned = isinstance(node, ir.Unary) and node.op == "not" and isinstance(node.value, (ir.Name, ir.Attr))
    option = run.evaluate(node.value).value if turned and isinstance(node, ir.Unary) else value
    if not isinstance(option, Option):
        return resolve(value)
    if not option.given:
        is_taken_for(run, option, None)
    run.oracle.press(TakenFor(option.key, None))
    held = resolve(option)
    return not held if turned and isinstance(held, bool) else held


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


def autograd_backward(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """`torch.autograd.backward(tensors, ...)`."""
    roots, keeps = _tensors(argument(arguments, 0, "tensors"), run), _keeps_graph(arguments)
    hooks.accumulated(run, run.torch.backward(run.site(node), roots, "backward", keeps), node)
    return Ref(None)


def gradient_hook(run: Run, tensor: Tensor, arguments: Arguments, node: ir.Node) -> None:
    """`tensor.register_hook(f)`: the hook is run once on a gradient."""
    if not arguments.positional:
        return
    with modes(run.torch, grad=False), suppress(Raised):  # it would raise in backward
        gradient = run.torch.tensor(run.site(node), NO, dtype=tensor.dtype, label="gradient")
        gradient.storage.share("gradient", run.torch.clock)
        ref = run.ref(
            ("gradient", run.known(tensor)), "the incoming gradient", "element", gradient, run.site(node), None
        )
        run.call(arguments.positional[0].ref, Arguments([Passed(ref, node, "", run.torch.clock)]), node)


def forget_gradients(run: Run, tensors: Iterable[Tensor], arguments: Arguments, node: ir.Node) -> None:
    """`zero_grad()` sets gradients to None, unless told to fill them with zeros."""
    filled = fills_gradients(run, arguments)
    for tensor in tensors:
        if filled:
            run.torch.write_gradient(tensor.autograd_meta, ZERO_GRAD, run.site(node))
        else:
            tensor.autograd_meta.clear(run.torch.clock)


def fills_gradients(run: Run, arguments: Arguments) -> bool:
    """Whether `zero_grad` is told to keep the memory of gradients; where nobody knows, or an option decides, maybe."""
    told = arguments.get(0, "set_to_none")
    if isinstance(told, Option) and isinstance(told.value, bool) and not told.given:
        forgets = is_taken_for(run, told, None)
        run.oracle.press(TakenFor(told.key, None))
        return not forgets
    value = resolve(told)
    return not run.oracle.truth(identity(value)) if isinstance(value, Unknown) else value is False


def clip_gradients(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """`clip_grad_norm_(parameters, ...)` writes the gradients."""
    if arguments.positional:
        for item in run.elements(arguments.positional[0].ref, node).items:
            if isinstance(tensor := resolve(item.value), Tensor):
                run.torch.write_gradient(tensor.autograd_meta, name, run.site(node))
    return Ref(run.unknown(run.key(node)))
