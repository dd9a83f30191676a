"""Classes of the program: their members, and the order in which bases are searched."""

from __future__ import annotations

from collections.abc import Iterator

from inplace_lint.interpret.state.facts import may_write
from inplace_lint.interpret.state.fed_elsewhere import feeding_elsewhere
from inplace_lint.interpret.state.names import execute_at_top, feeding, module_frame
from inplace_lint.interpret.state.program import ModuleFile
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import (
    Arguments,
    Class,
    Dict,
    Frame,
    Function,
    Instance,
    List,
    Ref,
    Value,
    resolve,
)
from inplace_lint.source import ir
from inplace_lint.torch_model.labels import last_name, without_keys
from inplace_lint.torch_model.operands import Keeper


def has_writes(value: Value) -> bool:
    """Whether it is a function, or a class with a method, that may write in place."""
    if isinstance(value, Function):
        return _may_write(value.module, value.code)
    return isinstance(value, Class) and any(
        _may_write(cls.module, each.function)
        for cls in value.lineage
        for each in cls.code.body
        if isinstance(each, ir.FunctionDef)
    )


def _may_write(module: ModuleFile, code: ir.Function) -> bool:
    module.program.look_into(module, code)
    return may_write(code)


def class_member(run: Run, cls: Class, name: str, after: Class | None = None) -> Ref | None:
    """A member of a class or its bases of the program, in their order; with `after`, only of those behind it."""
    passed = after is None
    for candidate in cls.lineage:
        if passed and not (name == "forward" and candidate in cls.behind_layers):
            found = members(run, candidate).get(name)
            if found is not None:
                if isinstance(found.value, (Dict, List)) and candidate not in run.fed:
                    _fill(run, candidate, found.value)
                return found
        passed = passed or candidate is after
    return None


def _fill(run: Run, cls: Class, container: Dict | List) -> None:
    """Have the statements run that fill a container of a class, as a base has one of all that derive from it."""
    run.fed.add(cls)
    module, name = cls.module, cls.code.name
    if module.bindings.get(name) is not cls.code:
        return  # It is a class within another one, or within a function.
    for later in feeding(module, name):
        execute_at_top(run, module_frame(run, module), later)
    for other, later in feeding_elsewhere(run, module, name, container):
        execute_at_top(run, module_frame(run, other), later)


def members(run: Run, cls: Class, own: bool = False) -> dict[str, Ref]:
    """What the body of a class has bound; with `own`, as this run may change it."""
    found = run.members.get(cls)
    if found is not None:
        return found
    if not (cls.late or own):
        return cls.frame.variables
    own_refs, depth = dict(cls.frame.variables), cls.frame.depth
    frame = Frame(cls.module, cls.code.name, cls.frame.parent, own_refs, depth=depth, of_class=True)
    run.past.append(frame)
    run.members[cls] = frame.variables
    for statement in cls.late:
        execute_at_top(run, frame, statement)
    return frame.variables


def own_attribute(run: Run, instance: Instance, name: str, node: ir.Node) -> Ref | None:
    """An attribute that is set on an object itself, or computed for whoever asks; None if it has none."""
    compute = instance.computed.get(name)
    return run.call(compute, Arguments(), node) if compute is not None else instance.attribute(name)


def methods_read(cls: Class) -> Iterator[Function]:
    """The methods that a class itself defines, whose code is read: it is noted that the findings depend on that."""
    for ref in cls.frame.variables.values():
        method = resolve(ref.value)
        if isinstance(method, Function):
            method.module.program.look_into(method.module, method.code)
            yield method


def library_bases(cls: Class) -> list[str]:
    """The qualified names of the library classes that a class inherits from."""
    return [name for current in cls.lineage for name in current.library_bases]


def keeper_of_item(run: Run, node: ir.Index) -> Keeper:
    """What keeps an item that is assigned: the state of an optimizer, if a method of that puts it there."""
    cls = run.frame.self_class
    if cls is None or not without_keys(run.spelled(node.value)).endswith("state"):
        return ""
    return "optimizer" if any(map(_is_optimizer, library_bases(cls))) else ""


def _is_optimizer(base: str) -> bool:
    return base.startswith("torch.optim.") or last_name(base).endswith("Optimizer")
