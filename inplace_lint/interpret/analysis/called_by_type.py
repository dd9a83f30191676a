"""What a file calls by a type that it declares: `for each in self.steps` where `steps: list[Step]`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inplace_lint.source import ir
from inplace_lint.source.place import Site
from inplace_lint.source.spelling import last_word
from inplace_lint.source.walk import last_row, nodes

# A name is given another one's value so often in a row: an argument, an attribute, what a loop takes of it.
_MOST_STEPS = 3


def called_type(name: str) -> str:
    """By which name a call graph knows the calls of values of a type."""
    return f"{name}()"


def names_by_type(everything: list[ir.Node]) -> Mapping[str, frozenset[str]]:
    """Which types of the file the values of names and attributes have that annotations tell of."""
    types = frozenset(_types(everything))
    found: dict[str, set[str]] = {}
    if not types:
        return {}
    for node in everything:
        if isinstance(node, (ir.Param, ir.Assign, ir.Declare)) and node.annotation is not None:
            named = types.intersection(_words(node.annotation))
            for name in _declared(node) if named else ():
                found.setdefault(name, set()).update(named)
    for _ in range(_MOST_STEPS if found else 0):
        for node in everything:
            for name, other in _given(node):
                if name and other in found:
                    found.setdefault(name, set()).update(found[other])
    return {name: frozenset(named) for name, named in found.items()}


def _types(everything: list[ir.Node]) -> Iterator[str]:
    """The types of functions that a file names, and its classes whose objects are called."""
    for node in everything:
        if isinstance(node, ir.Assign) and _is_function_type(node.value):
            yield from (target.id for target in node.targets if isinstance(target, ir.Name))
        elif isinstance(node, ir.ClassDef):
            methods = (member.function.name for member in node.body if isinstance(member, ir.FunctionDef))
            if "__call__" in methods:
                yield node.name


def _is_function_type(node: ir.Expr) -> bool:
    return isinstance(node, ir.Index) and last_word(node.value) == "Callable"


def _words(node: ir.Node) -> set[str]:
    return {last_word(part) for part in nodes(node) if isinstance(part, (ir.Name, ir.Attr))}


def _declared(node: ir.Param | ir.Assign | ir.Declare) -> tuple[str, ...]:
    if isinstance(node, ir.Param):
        return (node.name,)
    return tuple(map(last_word, node.targets)) if isinstance(node, ir.Assign) else (last_word(node.target),)


def _given(node: ir.Node) -> Iterator[tuple[str, str]]:
    """Names and attributes that are given the values of others, or one after the other what is in them."""
    if isinstance(node, ir.Assign):
        for target in node.targets:
            yield from _assigned(target, node.value)
    elif isinstance(node, (ir.For, ir.Clause)):
        targets = [part for part in nodes(node.target) if isinstance(part, ir.Name)]
        sources = [part for part in nodes(node.iter) if isinstance(part, (ir.Name, ir.Attr))]
        yield from ((target.id, last_word(source)) for target in targets for source in sources)


def _assigned(target: ir.Expr, value: ir.Expr) -> Iterator[tuple[str, str]]:
    if isinstance(target, ir.Sequence) and isinstance(value, ir.Sequence):
        for inner, part in zip(target.items, value.items, strict=False):
            yield last_word(inner), last_word(part)
    else:
        yield last_word(target), last_word(value)


def type_made_at(function: ir.Function, site: Site) -> str:
    """The type that a function declares to give back, if a place is in a function that it makes."""
    inner = (node for node in nodes(function.body) if isinstance(node, (ir.FunctionDef, ir.Lambda)))
    inside = any(node.span.row <= site.span.row <= last_row(node) for node in inner)
    return last_word(function.returns) if inside and function.returns is not None else ""
