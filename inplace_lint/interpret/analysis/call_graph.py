"""Who calls what in a file, by names, and where no gradients are recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from inplace_lint.interpret.analysis.called_by_type import called_type, names_by_type
from inplace_lint.source import ir
from inplace_lint.source.spelling import called_name, ir_text, last_word
from inplace_lint.source.walk import last_row, nodes
from inplace_lint.torch_model.modes import WITH_GRADIENTS, WITHOUT_GRADIENTS


class Call(NamedTuple):
    """The name of what is called, that of who calls it, and whether no gradients are recorded there."""

    called: str
    caller: str
    without: bool


# What gives the entries of a table to others.
_GIVES_OUT = ("values", "items", "copy", "pop")


def called_as(function: ir.Function, owner: ir.ClassDef | None) -> str:
    """The name that callers use: a constructor goes by that of its class."""
    return owner.name if owner is not None and function.name == "__init__" else function.name


def calls_in(module: ir.Module) -> Iterator[Call]:
    """All calls in a file; those derived from a class call that, and a table calls what is in it."""
    everything = list(nodes(module.body))
    classes = [node for node in everything if isinstance(node, ir.ClassDef)]
    functions = [node for node in everything if isinstance(node, ir.Function)]
    owners = {member.function: cls for cls in classes for member in cls.body if isinstance(member, ir.FunctionDef)}
    known = {function.name for function in functions} | {cls.name for cls in classes}
    tables = _tables(everything, known)
    held = dict(_lambda_keepers(everything, tables))
    names = frozenset(name for name, _ in tables)
    typed = names_by_type(everything)
    for body in (module.body, *(cls.body for cls in classes)):
        yield from _calls("", body, False, names, typed, None)
    for function in functions:
        owner = owners.get(function)
        caller = held.get(function) or called_as(function, owner)
        yield from _calls_of(function, caller, names, typed, owner)
    yield from (Call(last_word(base.value), cls.name, False) for cls in classes for base in cls.bases)
    yield from _through_tables(everything, tables, known)


def _lambda_keepers(everything: list[ir.Node], tables: list[tuple[str, ir.Expr]]) -> Iterator[tuple[ir.Function, str]]:
    """The functions without a name, each with the variable that keeps it, or a table of such."""
    for name, table in tables:
        yield from ((inner.function, name) for inner in nodes(table) if isinstance(inner, ir.Lambda))
    for node in everything:
        if isinstance(node, ir.Assign) and isinstance(node.value, ir.Lambda):
            yield node.value.function, last_word(node.targets[0])


def _calls_of(
    function: ir.Function,
    caller: str,
    tables: frozenset[str],
    typed: Mapping[str, frozenset[str]],
    owner: ir.ClassDef | None,
) -> Iterator[Call]:
    """What a function calls."""
    if any(map(_switches_on, function.decorators)):
        caller = ""  # gradients are recorded, whoever calls
    without = any(map(switches_off, function.decorators)) or _is_of_custom_function(function, owner)
    yield from _calls(caller, function.body, without, tables, typed, owner)


def _is_of_custom_function(function: ir.Function, owner: ir.ClassDef | None) -> bool:
    """Whether autograd runs a method, and records nothing: `forward` of what is applied."""
    applied = owner is not None and any(last_word(base.value) == "Function" for base in owner.bases)
    return applied and function.name == "forward"


def _through_tables(everything: list[ir.Node], tables: list[tuple[str, ir.Expr]], known: set[str]) -> Iterator[Call]:
    """A table calls what is in it, and anybody calls a table that is given out of sight."""
    for name, table in tables:
        yield from (Call(word, name, False) for node in nodes(table) if (word := _word(node)) in known)
    names = {name for name, _ in tables}
    yield from (
        Call(word, "", False) for node in everything for given in _given(node) if (word := _word(given)) in names
    )


def _tables(everything: list[ir.Node], known: set[str]) -> list[tuple[str, ir.Expr]]:
    """The displays that names stand for, if functions or classes of the file are in them."""
    return [
        (last_word(node.targets[0]), node.value)
        for node in everything
        if isinstance(node, ir.Assign)
        and isinstance(node.value, (ir.Dict, ir.Sequence))
        and last_word(node.targets[0])
        and any(isinstance(inner, ir.Lambda) or _word(inner) in known for inner in nodes(node.value))
    ]


def _word(node: object) -> str:
    return last_word(node) if isinstance(node, (ir.Name, ir.Attr)) else ""


def _given(node: ir.Node) -> tuple[object, ...]:
    """What a statement or expression gives out of sight."""
    if isinstance(node, ir.Arg):
        return (node.value,)
    if isinstance(node, (ir.Return, ir.Assign)):
        return (node.value,)
    return (node.value,) if isinstance(node, ir.Attr) and node.name in _GIVES_OUT else ()


def _calls(
    caller: str,
    body: tuple[ir.Stmt, ...],
    without: bool,
    tables: frozenset[str],
    typed: Mapping[str, frozenset[str]],
    owner: ir.ClassDef | None,
) -> Iterator[Call]:
    """What a function itself calls; functions inside of it are apart."""
    own = list(nodes(body, inner=False))
    blocks = [
        (node.body[0].span.row, last_row(node), any(switches_off(context) for context, _ in node.items))
        for node in own
        if isinstance(node, ir.With) and node.body and any(map(_switches, node.items))  # `pass` is no statement
    ]
    for node in own:
        if isinstance(node, ir.Call) and (name := _called(node, tables)):
            around = [block for block in blocks if block[0] <= node.span.row <= block[1]]
            innermost = max(around, default=None)
            quiet = without if innermost is None else innermost[2]
            by = "" if innermost is not None and not quiet else caller  # they are recorded, whoever calls
            yield Call(owner.name if owner is not None and name == "cls" else name, by, quiet)
            yield from (Call(called_type(each), by, quiet) for each in typed.get(name, ()))
        elif isinstance(node, ir.Assign) and (table := _taken_from(node.value, tables)):
            # Who is called by the new name is an entry of the table.
            yield Call(table, last_word(node.targets[0]), False)


def _called(call: ir.Call, tables: frozenset[str]) -> str:
    """The name of what is called, or that of the table that it is taken from."""
    return called_name(call) or _taken_from(call.func, tables)


def _taken_from(node: ir.Expr, tables: frozenset[str]) -> str:
    """The table that an expression takes an entry of; empty if it takes none."""
    taken: ir.Expr | None = node.value if isinstance(node, ir.Index) else None
    if isinstance(node, ir.Call) and isinstance(node.func, ir.Attr) and node.func.name == "get":
        taken = node.func.value
    word = _word(taken)
    return word if word in tables else ""


def _switches(item: tuple[ir.Expr, ir.Expr | None]) -> bool:
    return switches_off(item[0]) or _switches_on(item[0])


def switches_off(node: ir.Expr) -> bool:
    """Whether no gradients are recorded under a context or decorator."""
    return _last_of(node) in WITHOUT_GRADIENTS


def _switches_on(node: ir.Expr) -> bool:
    return _last_of(node) in WITH_GRADIENTS


def _last_of(node: ir.Expr) -> str:
    """The last word of a context or decorator."""
    called = node.func if isinstance(node, ir.Call) else node
    return ir_text(called).rpartition(".")[2]
