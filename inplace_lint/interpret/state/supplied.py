"""What a file supplies for the arguments of its classes where it makes objects of them: `Net(Block, depth=2)`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from inplace_lint.interpret.state.program import ModuleFile
from inplace_lint.interpret.state.top_statements import flat
from inplace_lint.source import ir
from inplace_lint.source.bound import pairs
from inplace_lint.source.spelling import ir_text, last_word, root
from inplace_lint.source.walk import nodes


@dataclass(frozen=True, slots=True)
class Supplied:
    """What is supplied: a text, a class by its name, or an object of a class of that name."""

    kind: Literal["text", "class", "object"]
    value: str


def supplied_in(module: ModuleFile, code: ir.ClassDef, name: str, place: int) -> Supplied | None:
    """What a file passes first for an argument where it makes objects of one of its classes, if that tells of it.

    Args:
        place: of the argument, without the object itself; -1 if it is passed by its name only.
    """
    if module.makes is None:
        module.makes = _makes(module)
    for call, variables in module.makes.get(code.name, ()):
        given = _given(call, name, place)
        told = _told(module, variables, given) if given is not None else None
        if told is not None:
            return told
    return None


def _given(call: ir.Call, name: str, place: int) -> ir.Expr | None:
    stars = [index for index, each in enumerate(call.args) if each.star]
    by_place = call.args[place : place + 1] if 0 <= place < min(stars, default=len(call.args)) else ()
    for each in call.args:
        if each.keyword == name or (each in by_place and each.keyword is None):
            return each.value
    return None


def _told(module: ModuleFile, variables: Mapping[str, ir.Expr | None], given: ir.Expr) -> Supplied | None:
    if isinstance(given, ir.Const):
        return Supplied("text", given.value) if isinstance(given.value, str) else None
    if isinstance(given, ir.Name) and (assigned := variables.get(given.id)) is not None:
        given = assigned
    kind: Literal["class", "object"] = "object" if isinstance(given, ir.Call) else "class"
    named = given.func if isinstance(given, ir.Call) else given
    first = root(named, (ir.Attr,))
    known = isinstance(first, ir.Name) and first.id not in variables and _is_defined(module, first.id)
    return Supplied(kind, ir_text(named)) if known and last_word(named)[:1].isupper() else None


def _is_defined(module: ModuleFile, name: str) -> bool:
    return isinstance(module.bindings.get(name), (ir.ClassDef, ir.Import, ir.ImportFrom))


def _makes(module: ModuleFile) -> dict[str, list[tuple[ir.Call, dict[str, ir.Expr | None]]]]:
    """The calls of a file that make objects of its classes, by these, each with the variables around it.

    `cls(...)` makes one of the class that it stands in; a variable that is given several values, or is a parameter, has
    None.
    """
    found: dict[str, list[tuple[ir.Call, dict[str, ir.Expr | None]]]] = {}
    for owner, body, params in _bodies(module):
        variables: dict[str, ir.Expr | None] = dict.fromkeys(params)
        calls: list[ir.Call] = []
        for node in nodes(body, inner=False):
            if isinstance(node, ir.Stmt):
                for target, value in pairs(node):
                    if isinstance(target, ir.Name):
                        variables[target.id] = value if target.id not in variables else None
            elif isinstance(node, ir.Call) and isinstance(node.func, ir.Name) and node.args:
                calls.append(node)
        for call in calls:
            name = call.func.id if isinstance(call.func, ir.Name) else ""
            made = owner if name == "cls" and owner else name
            if isinstance(module.bindings.get(made), ir.ClassDef):
                found.setdefault(made, []).append((call, variables))
    return found


def _bodies(module: ModuleFile) -> Iterator[tuple[str, tuple[ir.Stmt, ...], list[str]]]:
    """The top of a file, its functions and its methods, these with the name of their class; and their parameters."""
    yield "", module.code.body, []
    for statement in flat(module.code.body):
        if isinstance(statement, ir.FunctionDef):
            yield "", statement.function.body, [param.name for param in statement.function.params]
        elif isinstance(statement, ir.ClassDef):
            for member in statement.body:
                if isinstance(member, ir.FunctionDef):
                    yield statement.name, member.function.body, [param.name for param in member.function.params]
