"""Whether an object has an attribute: `hasattr`."""

from __future__ import annotations

from collections.abc import Callable

from inplace_lint.interpret.python.kinds import python_type
from inplace_lint.interpret.python.namespaces import has
from inplace_lint.interpret.state.asked import given_in, gives_under_any_name, offered_by
from inplace_lint.interpret.state.classes import class_member, library_bases
from inplace_lint.interpret.state.keys import Answer
from inplace_lint.interpret.state.program import ModuleFile
from inplace_lint.interpret.state.run import Raised, Run
from inplace_lint.interpret.state.values import (
    Arguments,
    Class,
    Function,
    Instance,
    Library,
    List,
    Ref,
    Unknown,
    identity,
    resolve,
)
from inplace_lint.interpret.torch import module_tree
from inplace_lint.source import ir


def hasattr(run: Run, arguments: Arguments, node: ir.Node) -> Ref:
    """`hasattr(object, name)`"""
    value, name = resolve(arguments.get(0, "object")), resolve(arguments.get(1, "name"))
    if isinstance(value, Instance) and isinstance(name, str):
        known = _known(run, arguments.positional[0].ref, value, name, node)
        if known is not None:
            return Ref(known)
    if isinstance(value, ModuleFile) and isinstance(name, str):
        return Ref(has(run, value, name))
    kind = python_type(value) if not isinstance(value, List) or value.cls is None else None
    if kind is not None and isinstance(name, str):
        return Ref(name in dir(kind) or (name in _OF_NAMED_TUPLES and isinstance(value, List) and bool(value.fields)))
    return Ref(run.unknown(Answer("hasattr", (identity(value), identity(name)))))


_OF_NAMED_TUPLES = ("_fields", "_asdict")


def is_there(run: Run, value: Instance, name: str) -> bool:
    """Whether an object, or its class, shows an attribute."""
    return value.has(name) or (isinstance(value.cls, Class) and class_member(run, value.cls, name) is not None)


def _known(run: Run, ref: Ref, value: Instance, name: str, node: ir.Node) -> bool | None:
    """Whether an object, or its class, has an attribute; None if nobody knows."""
    if value.has(name):
        return True
    member = class_member(run, value.cls, name) if isinstance(value.cls, Class) else None
    if member is not None:
        return _gives(run, ref, value, member, node)
    return False if _surely_lacks(run, value, name) else _makes(run, ref, value, name, node)


def _gives(run: Run, ref: Ref, value: Instance, member: Ref, node: ir.Node) -> bool:
    """Whether a member of a class is no property that raises."""
    getter = member.value
    if value.guess or not isinstance(getter, Function) or "property" not in getter.decoration:
        return True
    return not _attempted(run, lambda: run.call_function(getter, Arguments(), node, ref))[1]


def _makes(run: Run, ref: Ref, value: Instance, name: str, node: ir.Node) -> bool | None:
    """Whether `__getattr__` gives an attribute that an object has not got; None if nobody knows."""
    if value.guess or value.by_unknown_name or not isinstance(value.cls, Class) or not _is_in_view(value.cls):
        return None
    found, raised = _attempted(run, lambda: run.special_method(ref, "__getattr__", (Ref(name),), node))
    return None if not raised and (found is None or isinstance(found.value, Unknown)) else not raised


def _attempted(run: Run, attempt: Callable[[], Ref | None]) -> tuple[Ref | None, bool]:
    """What is given where somebody would catch an exception, and whether there is one."""
    run.catching += 1
    try:
        return attempt(), False
    except Raised:
        return None, True
    finally:
        run.catching -= 1


def _is_in_view(cls: Class) -> bool:
    """Whether all bases of a class are known."""
    return all(isinstance(base, (Class, Library)) for each in cls.lineage for base in each.bases)


def _surely_lacks(run: Run, value: Instance, name: str) -> bool:
    """Whether a module was made by code in view, none of which gives any object an attribute of that name."""
    cls = value.cls
    if value.guess or not isinstance(cls, Class) or name in module_tree.ATTRIBUTES or name.startswith("_"):
        return False
    if not _is_in_view(cls) or set(library_bases(cls)) != {"torch.nn.Module"} or gives_under_any_name(cls):
        return False
    if offered_by(cls, frozenset({name})):
        return False
    return not any(given_in(module, name) for module in {run.frame.module, *(each.module for each in cls.lineage)})
