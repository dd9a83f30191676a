"""Objects that a caller brings, after a call that made another object keep their memory: they go on to write it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeGuard

from inplace_lint.interpret.analysis.later_methods import methods_of, uses
from inplace_lint.interpret.state.facts import may_write
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Class, Function, Instance, Ref, Value, resolve
from inplace_lint.interpret.torch import module_tree
from inplace_lint.source.place import Site
from inplace_lint.torch_model.bindings import sources
from inplace_lint.torch_model.constant import Constant
from inplace_lint.torch_model.op_names import LATER_USE
from inplace_lint.torch_model.operands import Binding, Operand
from inplace_lint.torch_model.tensor import Tensor

# So many methods are called on objects that were brought.
_MOST_CALLED = 2


def kept_of_others(run: Run, values: Iterable[Value]) -> tuple[list[Ref], list[tuple[Function, Ref]]]:
    """What objects have been made to keep of the state of others, and who writes it there.

    Modules are left out: they copy what they load, and that their parameters are shared is meant.

    Args:
        values: the object of a method, and the arguments.
    """
    objects = _objects(values)
    kept: list[Ref] = []
    writers: list[tuple[Function, Ref]] = []
    for holder in objects if len(objects) > 1 else ():
        loaded = {tensor.storage: ref for _, tensor, ref in _own(holder) if _is_loaded(run, ref)}
        for other in objects if loaded else ():
            shared = {name: tensor.storage for name, tensor, _ in _own(other) if tensor.storage in loaded}
            if other is not holder and isinstance(other.cls, Class) and shared:
                found = (each for each in methods_of(other.cls) if uses(each, set(shared)) and may_write(each.code))
                writers += [(each, Ref(other)) for each in islice(found, _MOST_CALLED)]
                kept += [loaded[storage] for storage in shared.values()]
    return kept, writers


def read_what_is_kept(run: Run, kept: Iterable[Ref], site: Site) -> None:
    """Who has the object uses what it keeps."""
    run.torch.statement = run.torch.tick()
    for ref in kept:
        tensor = resolve(ref.value)
        if isinstance(tensor, Tensor) and ref.binding is not None:
            operand = Operand(tensor, site, ref.binding, run.torch.clock, ref.binding.label)
            run.torch.read(operand, LATER_USE)


def _objects(values: Iterable[Value]) -> list[Instance]:
    """The objects of the program among some values, and among their attributes."""
    outer = [value for each in values if _is_plain(value := resolve(each)) or _is_module(value)]
    inner = [resolve(ref.value) for each in outer for ref in each.held.values()]
    return [each for each in dict.fromkeys((*outer, *inner)) if _is_plain(each)]


def _is_plain(value: Value) -> TypeGuard[Instance]:
    """Whether it is an object of a class of the program, and no module."""
    return isinstance(value, Instance) and isinstance(value.cls, Class) and not module_tree.is_module(value)


def _is_module(value: Value) -> TypeGuard[Instance]:
    return isinstance(value, Instance) and module_tree.is_module(value)


def _own(instance: Instance) -> Iterator[tuple[str, Tensor, Ref]]:
    for name, ref in instance.held.items():
        tensor = resolve(ref.value)
        if isinstance(tensor, Tensor):
            yield name, tensor, ref


def _is_loaded(run: Run, ref: Ref) -> bool:
    """Whether a call put it there that took it out of a state, where it was an attribute before."""
    binding = ref.binding
    if binding is None or binding.site is None or run.was_preparing(binding.bound_at):
        return False
    links = list(sources(binding))
    entry = next((index for index, link in enumerate(links) if link.kind == "element" and _is_named(link)), len(links))
    return any(link.kind == "attribute" for link in links[entry:])


def _is_named(element: Binding) -> bool:
    """Whether it is an entry of a dictionary: one of several results is none."""
    return isinstance(element.key, Constant) and isinstance(element.key.value, str)
