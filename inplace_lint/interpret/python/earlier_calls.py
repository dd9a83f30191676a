"""What methods that were called before may have left on an object that is made up to run another one on."""

from __future__ import annotations

from inplace_lint.interpret.state.asked import changed_by, given_in
from inplace_lint.interpret.state.facts import facts
from inplace_lint.interpret.state.keys import Attribute, GivenSince, key_of
from inplace_lint.interpret.state.program import ModuleFile
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import (
    Class,
    Dict,
    Function,
    Instance,
    List,
    Option,
    Ref,
    Unknown,
    Value,
    resolve,
)
from inplace_lint.source import ir


def note_earlier_calls(run: Run, instance: Instance, module: ModuleFile) -> None:
    """Weaken what the constructor of an object has set, as far as calls of its methods may have changed it."""
    _weaken_none(run, instance, module)
    _open_empty(instance)
    _weaken_constants(run, instance)
    for ref in instance.held.values():
        _forget_numbers(ref.value)


def _weaken_none(run: Run, instance: Instance, module: ModuleFile) -> None:
    """Attributes that `__init__` sets to None, and others give a value, become unknown: by now they may hold anything.

    Of state that only its writers know, even a tensor is possible. Where `__init__` chooses between None and something
    else, that is no reason: there is another object for the other choice.
    """
    held = instance.held.items()
    nothing = [name for name, ref in held if resolve(ref.value) is None and name not in instance.late]
    for name in nothing:
        given = _given_by_constructors(instance, module, name)
        chosen = len(given) - sum(map(_is_none, given)) if any(map(_is_none, given)) else 0
        if given_in(module, name) > chosen:
            value = run.unknown(GivenSince(name), f"self.{name}")
            if isinstance(value, Unknown):
                value.not_tensor = True
                instance.held[name] = Ref(value)


def _given_by_constructors(instance: Instance, module: ModuleFile, name: str) -> list[ir.Expr]:
    """What the constructors of an object that stand in a file give an attribute."""
    lineage = instance.cls.lineage if isinstance(instance.cls, Class) else ()
    found = (base.frame.variables.get("__init__") for base in lineage if base.module is module)
    constructors = [ref.value for ref in found if ref is not None and isinstance(ref.value, Function)]
    for each in constructors:
        each.module.program.look_into(each.module, each.code)
    return [
        node.value
        for each in constructors
        for node in facts(each.code).given.get(name, ())
        if isinstance(node, ir.Assign) and any(_ends_in(target, name) for target in node.targets)
    ]


def _is_none(value: ir.Expr) -> bool:
    return isinstance(value, ir.Const) and value.value is None


def _ends_in(target: ir.Expr, name: str) -> bool:
    last = target.items[-1] if isinstance(target, ir.Sequence) and target.items else target
    return isinstance(last, ir.Attr) and last.name == name


def _open_empty(instance: Instance) -> None:
    """Lists and dicts that `__init__` leaves empty: earlier calls of methods may have filled them."""
    for ref in instance.held.values():
        value = resolve(ref.value)
        if isinstance(value, Dict) or (isinstance(value, List) and value.kind == "list"):
            value.open |= not value.items


def _weaken_constants(run: Run, instance: Instance) -> None:
    """A flag that another method sets may have been turned; what another method counts may be any number."""
    flags = [name for name, ref in instance.held.items() if isinstance(ref.value, bool)]
    counters = [name for name, ref in instance.held.items() if type(resolve(ref.value)) is int]
    if not isinstance(instance.cls, Class) or not (flags or counters):
        return
    changed = changed_by(instance.cls, frozenset((*flags, *counters)))
    for name in (name for name in flags if name in changed.assigned):
        key = key_of(Attribute(instance.key, name))
        instance.held[name] = Ref(Option(key, f"self.{name}", instance.held[name].value))
    for name in (name for name in counters if name in changed.counted):
        number = run.unknown(Attribute(instance.key, name), f"self.{name}")
        if isinstance(number, Unknown):
            number.not_tensor = number.is_whole = True
            instance.held[name] = Ref(number)


# So deep in what nobody knows are numbers looked for: `optimizer.param_groups[0]["steps"]`.
_MOST_DEPTH = 3


def _forget_numbers(value: Value, depth: int = _MOST_DEPTH) -> None:
    """Numbers that the constructor has put into what it was given: by now they are others."""
    if not isinstance(value, Unknown) or not depth:
        return
    for place, ref in list(value.parts.items()):
        if isinstance(place, tuple) and type(ref.value) is int:
            del value.parts[place]
        else:
            _forget_numbers(ref.value, depth - 1)
