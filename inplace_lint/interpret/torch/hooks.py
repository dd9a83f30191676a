"""Hooks: those of `forward` run, full backward hooks tie inputs and outputs, those of leaves run with backward."""

from __future__ import annotations

from typing import TypeVar

from inplace_lint.interpret.state.keys import MadeUp
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Arguments, Instance, List, Native, Passed, Ref, resolve
from inplace_lint.source import ir
from inplace_lint.torch_model.modes import modes
from inplace_lint.torch_model.tensor import AutogradMeta, Tensor

Registered = TypeVar("Registered")


def register(run: Run, instance: Instance, kind: str, arguments: Arguments) -> Ref:
    """`register_forward_hook` and its like; the handle removes it."""
    hook = arguments.positional[0].ref if arguments.positional else Ref(None)
    registered = _hooks(instance, kind).items
    run.hooked.append(registered)
    return _handle(registered, hook, hook)


def register_on_leaf(run: Run, receiver: Ref, tensor: Tensor, arguments: Arguments) -> Ref:
    """`register_post_accumulate_grad_hook`; the handle removes it."""
    hook = arguments.positional[0].ref if arguments.positional else Ref(None)
    return _handle(run.grad_hooks.setdefault(tensor.autograd_meta, []), (receiver, hook), hook)


def accumulated(run: Run, leaves: list[AutogradMeta], node: ir.Node) -> None:
    """A backward pass has added to the `.grad` of these leaves (`AccumulateGrad` in torch/csrc/autograd)."""
    waiting = [entry for leaf in leaves for entry in run.grad_hooks.get(leaf, ())] if run.grad_hooks else []
    for receiver, hook in waiting:
        with modes(run.torch, grad=False):
            run.call(hook, run.passing(node, receiver), node)


def _handle(hooks: list[Registered], entry: Registered, hook: Ref) -> Ref:
    """What is registered goes into `hooks`, and out again by the handle."""
    hooks.append(entry)

    def remove(later: Arguments) -> None:
        if entry in hooks:
            hooks.remove(entry)

    handle = Instance("torch.utils.hooks.RemovableHandle", key=MadeUp("handle", id(hook)), label="handle")
    handle.held["remove"] = Ref(Native("remove", remove))
    return Ref(handle)


def _hooks(instance: Instance, kind: str) -> List:
    ref = instance.held.setdefault(_place(kind), Ref(List("list")))
    assert isinstance(ref.value, List)
    return ref.value


def _place(kind: str) -> str:
    """Where a module keeps its hooks, under a name that no program can spell."""
    return f"<{kind} hooks>"


def before(run: Run, ref: Ref, instance: Instance, arguments: Arguments, node: ir.Node) -> Arguments:
    """Run the hooks that come before `forward`."""
    if _hooked(run, instance):
        positional = [_tied(run, passed.ref, node, passed) for passed in arguments.positional]
        arguments = Arguments(positional, arguments.keywords, arguments.open)
    if _place("forward_pre") not in instance.held:
        return arguments
    for hook in list(_hooks(instance, "forward_pre").items):
        inputs = Ref(List("tuple", [passed.ref for passed in arguments.positional]))
        result = resolve(run.call(hook, run.passing(node, ref, inputs), node).value)
        if isinstance(result, List):
            new = [Passed(item, node, "", run.torch.clock) for item in result.items]
            arguments = Arguments(new, arguments.keywords, arguments.open)
    return arguments


def after(run: Run, ref: Ref, instance: Instance, arguments: Arguments, result: Ref, node: ir.Node) -> Ref:
    """Run the hooks that come after `forward`."""
    registered = list(_hooks(instance, "forward").items) if _place("forward") in instance.held else []
    if registered and result.binding is None:  # What the hooks are given is what the caller gets.
        place = run.place(instance, _place("forward"))
        result = run.ref(place, "output", "name", result.value, run.site(node), None)
    for hook in registered:
        inputs = Ref(List("tuple", [passed.ref for passed in arguments.positional]))
        replaced = run.call(hook, run.passing(node, ref, inputs, result), node)
        if resolve(replaced.value) is not None:
            result = replaced
    if _hooked(run, instance):
        result = _tied(run, result, node, None).ref
    return result


def _hooked(run: Run, instance: Instance) -> bool:
    return bool(_place("backward") in instance.held and _hooks(instance, "backward").items and run.torch.grad_mode)


def _tied(run: Run, ref: Ref, node: ir.Node, passed: Passed | None) -> Passed:
    """What a full backward hook watches is a view that must not be written."""
    value = resolve(ref.value)
    tied = Ref(run.torch.view(value, run.site(node), "hooked"), ref.binding) if isinstance(value, Tensor) else ref
    return Passed(tied, passed.node, passed.text, passed.at) if passed else Passed(tied, node, "", run.torch.clock)
