"""What a file calls, defines and gives to others, by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from inplace_lint.interpret.analysis.call_graph import Call, calls_in, switches_off
from inplace_lint.source import ir
from inplace_lint.source.spelling import last_word
from inplace_lint.source.walk import nodes

# What makes of a function one that is called by its name, as before. Others may hand it to anybody.
_LEAVE_NAMED = frozenset(
    "staticmethod classmethod abstractmethod override script compile jit njit cache lru_cache deprecated".split()
)


@dataclass(frozen=True, slots=True)
class FileNames:
    """What is known of a file.

    Args:
        calls: all calls, by the last word of what is called.
        given: what is used in another way than to call it.
        functions: the functions outside of others and the methods, by the rows of their names.
        classes: the names of what each class is derived from.
        made: the names of classes, by the rows of these.
        owners: by the names of methods, the classes that declare them.
        handed: the names of functions that a decorator may hand to anybody.
    """

    calls: Mapping[str, tuple[Call, ...]]
    given: frozenset[str]
    functions: Mapping[int, str]
    classes: Mapping[str, tuple[str, ...]]
    made: Mapping[int, str]
    owners: Mapping[str, tuple[str, ...]]
    handed: frozenset[str]


def names_in(module: ir.Module) -> FileNames:
    """What is known of a file by its syntax."""
    calls: dict[str, list[Call]] = {}
    for call in calls_in(module):
        calls.setdefault(call.called, []).append(call)
    everything = list(nodes(module.body))
    functions = [node for node in everything if isinstance(node, ir.Function)]
    classes = [node for node in everything if isinstance(node, ir.ClassDef)]
    methods = list(_methods(module))
    owners: dict[str, tuple[str, ...]] = {}
    for owner, method in methods:
        owners[method.name] = (*owners.get(method.name, ()), owner)
    plain = [node.function for node in nodes(module.body, inner=False) if isinstance(node, ir.FunctionDef)]
    return FileNames(
        {name: tuple(each) for name, each in calls.items()},
        _given(everything),
        {each.span.row: each.name for each in (*plain, *(method for _, method in methods))},
        {cls.name: tuple(_class_named(base) for base in cls.bases if base.keyword is None) for cls in classes},
        {cls.span.row: cls.name for cls in classes},
        owners,
        frozenset(each.name for each in functions if not all(map(_leaves_named, each.decorators))),
    )


def _class_named(base: ir.Arg) -> str:
    """The name of a class that another is derived from, without the types that it is for."""
    return last_word(base.value.value if isinstance(base.value, ir.Index) else base.value)


def _methods(module: ir.Module) -> Iterator[tuple[str, ir.Function]]:
    """The methods of classes outside of functions and other classes, with the names of these."""
    for cls in nodes(module.body, inner=False):
        if isinstance(cls, ir.ClassDef):
            yield from ((cls.name, member.function) for member in cls.body if isinstance(member, ir.FunctionDef))


def _given(everything: Iterable[ir.Node]) -> frozenset[str]:
    """What is used in another way than to call it, or to declare a type."""
    used = [node for node in everything if isinstance(node, (ir.Name, ir.Attr, ir.Call))]
    called = {id(node.func) for node in used if isinstance(node, ir.Call)}
    called |= {id(node) for part in map(_annotation, everything) if part is not None for node in nodes(part)}
    return frozenset(last_word(node) for node in used if not isinstance(node, ir.Call) and id(node) not in called)


def _annotation(node: ir.Node) -> ir.Expr | None:
    if isinstance(node, ir.Function):
        return node.returns
    return node.annotation if isinstance(node, (ir.Param, ir.Declare, ir.Assign)) else None


def _leaves_named(decorator: ir.Expr) -> bool:
    made = decorator.func if isinstance(decorator, ir.Call) else decorator
    return switches_off(decorator) or last_word(made) in _LEAVE_NAMED
