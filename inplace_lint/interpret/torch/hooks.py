"""Hooks: those of `forward` run, full backward hooks tie inputs and outputs, those of leaves run with backward."""

from __future__ import annotations

from typing import TypeVar

from inplace_lint.interpret.state.keys import MadeUp
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Arguments, Cell, Instance, List, Native, Passed, resolve
from inplace_lint.source import ir
from inplace_lint.torch_model.modes import modes
from inplace_lint.torch_model.tensor import AutogradMeta, Tensor

Registered = TypeVar("Registered")


def register(run: Run, instance: Instance, kind: str, arguments: Arguments) -> Cell:
    """`register_forward_hook` and its like; the handle removes it."""
    hook = arguments.positional[0].cell if arguments.positional else Cell(None)
    return _handle(_hooks(instance, kind).items, hook, hook)


def register_on_leaf(run: Run, receiver: Cell, tensor: Tensor, arguments: Arguments) -> Cell:
    """`register_post_accumulate_grad_hook`; the handle removes it."""
    hook = arguments.positional[0].cell if arguments.positional else Cell(None)
    return _handle(run.grad_hooks.setdefault(tensor.autograd_meta, []), (receiver, hook), hook)


def accumulated(run: Run, leaves: list[AutogradMeta], node: ir.Node) -> None:
    """A backward pass has added to the `.grad` of these leaves (`AccumulateGrad` in torch/csrc/autograd)."""
    waiting = [entry for leaf in leaves for entry in run.grad_hooks.get(leaf, ())] if run.grad_hooks else []
    for receiver, hook in waiting:
        with modes(run.torch, grad=False):
            run.call(hook, run.passing(node, receiver), node)


def _handle(hooks: list[Registered], entry: Registered, hook: Cell) -> Cell:
    """What is registered goes into `hooks`, and out again by the handle."""
    hooks.append(entry)

    def remove(later: Arguments) -> None:
        if entry in hooks:
            hooks.remove(entry)

    handle = Instance("torch.utils.hooks.RemovableHandle", key=MadeUp("handle", id(hook)), label="handle")
    handle.held["remove"] = Cell(Native("remove", remove))
    return Cell(handle)


def _hooks(instance: Instance, kind: str) -> List:
    cell = instance.held.setdefault(_place(kind), Cell(List("list")))
    assert isinstance(cell.value, List)
    return cell.value


def _place(kind: str) -> str:
    """Where a module keeps its hooks, under a name that no program can spell."""
    return f"<{kind} hooks>"


def before(run: Run, cell: Cell, instance: Instance, arguments: Arguments, node: ir.Node) -> Arguments:
    """Run the hooks that come before `forward`."""
    if _hooked(run, instance):
        positional = [_tied(run, passed.cell, node, passed) for passed in arguments.positional]
        arguments = Arguments(positional, arguments.keywords, arguments.open)
    if _place("forward_pre") not in instance.held:
        return arguments
    for hook in list(_hooks(instance, "forward_pre").items):
        inputs = Cell(List("tuple", [passed.cell for passed in arguments.positional]))
        result = resolve(run.call(hook, run.passing(node, cell, inputs), node).value)
        if isinstance(result, List):
            new = [Passed(item, node, "", run.torch.clock) for item in result.items]
            arguments = Arguments(new, arguments.keywords, arguments.open)
    return arguments


def after(run: Run, cell: Cell, instance: Instance, arguments: Arguments, result: Cell, node: ir.Node) -> Cell:
    """Run the hooks that come after `forward`."""
    registered = list(_hooks(instance, "forward").items) if _place("forward") in instance.held else []
    for hook in registered:
        inputs = Cell(List("tuple", [passed.cell for passed in arguments.positional]))
        replaced = run.call(hook, run.passing(node, cell, inputs, result), node)
        if resolve(replaced.value) is not None:
            result = replaced
    if _hooked(run, instance):
        result = _tied(run, result, node, None).cell
    return result


def _hooked(run: Run, instance: Instance) -> bool:
    return bool(_place("backward") in instance.held and _hooks(instance, "backward").items and run.torch.grad_mode)


def _tied(run: Run, cell: Cell, node: ir.Node, passed: Passed | None) -> Passed:
    """What a full backward hook watches is a view that must not be written."""
    value = resolve(cell.value)
    tied = Cell(run.torch.view(value, run.site(node), "hooked"), cell.binding) if isinstance(value, Tensor) else cell
    return Passed(tied, passed.node, passed.text, passed.at) if passed else Passed(tied, node, "", run.torch.clock)
