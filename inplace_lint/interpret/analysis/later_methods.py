"""Methods that are called after an entry point: those that read what it kept and then overwrote, and the next step."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from inplace_lint.interpret.state.classes import library_bases
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.tensors_within import tensors_of
from inplace_lint.interpret.state.values import Class, Function, Instance, Ref, resolve
from inplace_lint.judgement.pair import links_of
from inplace_lint.source import ir
from inplace_lint.source.syntax import is_initializer
from inplace_lint.source.walk import nodes
from inplace_lint.torch_model.events import Write
from inplace_lint.torch_model.operands import Binding
from inplace_lint.torch_model.tensor import Tensor

_OPTIMIZER = "torch.optim.Optimizer"
_BOUND = frozenset({"staticmethod", "classmethod", "property"})
# So many methods are called after an entry point.
_MOST_LATER = 2


def readers_of_kept(run: Run, function: Function, receiver: Ref) -> list[Function]:
    """The other methods of the class that use an attribute in which a call has kept what it then overwrote."""
    instance = resolve(receiver.value)
    if not isinstance(instance, Instance) or not isinstance(instance.cls, Class):
        return []
    if function.code.name == "__init__" or is_initializer(function.code.name):
        return []
    kept = set(_kept_and_overwritten(run, instance)) if run.torch.trace.writes_since(0) else set()
    found = (method for method in methods_of(instance.cls) if method.code is not function.code and uses(method, kept))
    return list(islice(found, _MOST_LATER))


def until_next_step(function: Function) -> list[Function]:
    """How a loop goes on after the `step` of an optimizer of the program that zeroes gradients in its own way."""
    cls = function.owner
    if function.code.name != "step" or cls is None or _OPTIMIZER not in library_bases(cls):
        return []
    own = [ref.value for each in cls.lineage for name, ref in each.frame.variables.items() if name == "zero_grad"]
    return [method for method in own[:1] if isinstance(method, Function)] + [function] if own else []


def _kept_and_overwritten(run: Run, instance: Instance) -> Iterator[str]:
    """The attributes that hold memory which was written after it had been put there."""
    for name, ref in instance.held.items():
        for part, _ in tensors_of(ref.value):
            tensor, put = resolve(part.value), part.binding or ref.binding
            if not isinstance(tensor, Tensor) or put is None or put.site is None:
                continue
            made = run.was_preparing(put.bound_at)
            later = (write for write, _, _ in tensor.storage.writes if write.time > put.bound_at)
            if any(not made or _is_by_another_name(write, put) for write in later if not run.was_preparing(write.time)):
                yield name


def _is_by_another_name(write: Write, put: Binding) -> bool:
    """Whether something was written that a constructor has kept, and not by the name under which it keeps it."""
    kept = (link for link in links_of(write.operand.binding) if link.kind in ("attribute", "element"))
    name = next(kept, None)
    return name is None or name.place != put.place


def methods_of(cls: Class) -> Iterator[Function]:
    """The methods of a class, first those that need nothing but its object; none that Python calls by itself."""
    methods = [ref.value for ref in cls.frame.variables.values() if isinstance(ref.value, Function)]
    called = (each for each in methods if not each.code.name.startswith("__") and _BOUND.isdisjoint(each.decoration))
    yield from sorted(called, key=lambda method: len(method.code.params))


def uses(method: Function, attributes: set[str]) -> bool:
    """Whether a method uses one of some attributes, and does not only give them another value."""
    if not method.code.params or not attributes:
        return False
    method.module.program.look_into(method.module, method.code)
    itself, inside = method.code.params[0].name, list(nodes(method.code.body))
    given = {id(target) for node in inside if isinstance(node, ir.Assign) for target in node.targets}
    return any(
        node.name in attributes and id(node) not in given
        for node in inside
        if isinstance(node, ir.Attr) and isinstance(node.value, ir.Name) and node.value.id == itself
    )
