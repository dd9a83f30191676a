"""Grad modes in a file: functions called only where no gradients are recorded, and functions that ask."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inplace_lint.interpret.state.program import ModuleFile
from inplace_lint.judgement.reason import silent
from inplace_lint.source import ir
from inplace_lint.source.spelling import called_name, ir_text, last_word
from inplace_lint.source.walk import last_row, nodes
from inplace_lint.torch_model.modes import WITHOUT_GRADIENTS

CALLED_WITHOUT_GRADIENTS = silent(
    "called-without-gradients",
    "the file calls the function only under `no_grad` or `inference_mode`",
    """
    import torch


    class Sampler:
        def scaled(self, logits):
            scores = torch.sigmoid(logits)
            scores.mul_(2)
            return scores


    def sample(policy, x):
        with torch.no_grad():
            return policy.scaled(x)
    """,
)

_Call = tuple[str, str, bool]
"""The name of what is called, that of who calls it, and whether no gradients are recorded there."""

# Who calls methods of these names is out of view: other objects have them, too.
_OF_FRAMEWORKS = frozenset(
    "forward step update training_step validation_step test_step predict_step reset reset_parameters".split()
)

# What gives the entries of a table to others.
_GIVES_OUT = ("values", "items", "copy", "pop")

# So many classes are looked at for the one that declares a method.
_MOST_BASES = 8


def is_of_frameworks(name: str) -> bool:
    """Whether frameworks and other objects' owners call a method of this name."""
    return name in _OF_FRAMEWORKS or (name.startswith("__") and name.endswith("__") and name != "__init__")


def only_without_gradients(file: ModuleFile, function: ir.Function, owner: ir.ClassDef | None) -> bool:
    """Whether a function is called by its file, or else by one that declares it, and only without gradients."""
    called = _callers_of(file, called_as(function, owner))
    if called is not None:
        return called
    if owner is None or function.name == "__init__":
        return False
    for base, where in _bases(file, owner):
        if _declares(base, function.name) and (called := _callers_of(where, function.name)) is not None:
            where.program.look_into(where, None)
            return called
    return False


def called_as(function: ir.Function, owner: ir.ClassDef | None) -> str:
    """The name that callers use: a constructor goes by that of its class."""
    return owner.name if owner is not None and function.name == "__init__" else function.name


def _callers_of(file: ModuleFile, name: str) -> bool | None:
    """Whether a file calls something only without gradients; None if it does not call it."""
    if file.without_gradients is None:
        file.without_gradients = called_without_gradients(file.code)
    return file.without_gradients.get(name)


def _declares(cls: ir.ClassDef, name: str) -> bool:
    return any(isinstance(member, ir.FunctionDef) and member.function.name == name for member in cls.body)


def _bases(file: ModuleFile, cls: ir.ClassDef) -> Iterator[tuple[ir.ClassDef, ModuleFile]]:
    """The classes that a class is derived from, as far as files of the program define them."""
    todo, seen = [(cls, file)], {cls}
    while todo and len(seen) < _MOST_BASES:
        derived, where = todo.pop(0)
        for base in derived.bases:
            found = _class_named(where, base.value.id) if isinstance(base.value, ir.Name) else None
            if found is not None and found[0] not in seen:
                seen.add(found[0])
                todo.append(found)
                yield found


def _class_named(file: ModuleFile | None, name: str) -> tuple[ir.ClassDef, ModuleFile] | None:
    """What a name means in a file, through imports."""
    for _ in range(_MOST_BASES):
        statement = file.bindings.get(name) if file is not None else None
        if file is None or isinstance(statement, ir.ClassDef):
            return (statement, file) if file is not None and isinstance(statement, ir.ClassDef) else None
        if not isinstance(statement, ir.ImportFrom):
            return None
        name = next(original for original, alias in statement.names if alias == name)
        file = file.program.find(statement.module, statement.level, file.path)
    return None


def called_without_gradients(module: ir.Module) -> Mapping[str, bool]:
    """What is called in a file, and whether only under no-grad contexts, through all callers.

    What is called through a table that a name stands for is called where an entry of that is.
    """
    by_name: dict[str, list[_Call]] = {}
    for call in _all_calls(module):
        if call[2] or call[0] != call[1]:
            by_name.setdefault(call[0], []).append(call)
    safe = set(by_name)
    while lost := {name for name in safe if not all(without or caller in safe for _, caller, without in by_name[name])}:
        safe -= lost
    begun: set[str] = set()  # those who only call one another are not
    while more := {
        name for name in safe - begun if any(without or caller in begun for _, caller, without in by_name[name])
    }:
        begun |= more
    return {name: name in begun for name in by_name}


def _all_calls(module: ir.Module) -> Iterator[_Call]:
    everything = list(nodes(module.body))
    classes = [node for node in everything if isinstance(node, ir.ClassDef)]
    functions = [node for node in everything if isinstance(node, ir.Function)]
    owners = {member.function: cls for cls in classes for member in cls.body if isinstance(member, ir.FunctionDef)}
    known = {function.name for function in functions} | {cls.name for cls in classes}
    tables = _tables(everything, known)
    held = {inner.function: name for name, table in tables for inner in nodes(table) if isinstance(inner, ir.Lambda)}
    names = frozenset(name for name, _ in tables)
    yield from _calls("", module.body, False, names, None)
    for function in functions:
        owner = owners.get(function)
        caller = held.get(function) or called_as(function, owner)
        without = any(map(_switches_off, function.decorators)) or _is_of_custom_function(function, owner)
        yield from _calls(caller, function.body, without, names, owner)
    yield from ((last_word(base.value), cls.name, False) for cls in classes for base in cls.bases)
    yield from _through_tables(everything, tables, known)


def _is_of_custom_function(function: ir.Function, owner: ir.ClassDef | None) -> bool:
    """Whether autograd runs a method, and records nothing: `forward` of what is applied."""
    applied = owner is not None and any(ir_text(base.value).endswith(".Function") for base in owner.bases)
    return applied and function.name == "forward"


def _through_tables(everything: list[ir.Node], tables: list[tuple[str, ir.Expr]], known: set[str]) -> Iterator[_Call]:
    """A table calls what is in it, and anybody calls a table that is given out of sight."""
    for name, table in tables:
        yield from ((word, name, False) for node in nodes(table) if (word := _word(node)) in known)
    names = {name for name, _ in tables}
    yield from ((word, "", False) for node in everything for given in _given(node) if (word := _word(given)) in names)


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
    caller: str, body: tuple[ir.Stmt, ...], without: bool, tables: frozenset[str], owner: ir.ClassDef | None
) -> Iterator[_Call]:
    """What a function itself calls; functions inside of it are apart."""
    own = list(nodes(body, inner=False))
    blocks = [
        (node.body[0].span.row, last_row(node))
        for node in own
        if isinstance(node, ir.With) and any(_switches_off(context) for context, _ in node.items)
    ]
    for node in own:
        if isinstance(node, ir.Call) and (name := _called(node, tables)):
            quiet = without or any(begin <= node.span.row <= end for begin, end in blocks)
            yield (owner.name if owner is not None and name == "cls" else name, caller, quiet)
        elif isinstance(node, ir.Assign) and (table := _taken_from(node.value, tables)):
            # Who is called by the new name is an entry of the table.
            yield (table, last_word(node.targets[0]), False)


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


def _switches_off(node: ir.Expr) -> bool:
    """Whether no gradients are recorded under a context or decorator."""
    called = node.func if isinstance(node, ir.Call) else node
    return ir_text(called).rpartition(".")[2] in WITHOUT_GRADIENTS


def rows_that_ask(module: ir.Module) -> list[tuple[int, int]]:
    """The first and the last row of each function that asks for gradients."""
    functions = (node for node in nodes(module.body) if isinstance(node, ir.FunctionDef))
    return [(node.span.row, last_row(node)) for node in functions if asks_for_gradients(node.function)]


def asks_for_gradients(function: ir.Function) -> bool:
    """Whether a function finds out by itself if gradients are recorded, and so need not be told."""
    return any(
        (isinstance(node, ir.Call) and called_name(node) == "is_grad_enabled") or any(map(_asks, _tests(node)))
        for node in nodes(function.body, inner=False)
    )


def _tests(node: ir.Node) -> tuple[object, ...]:
    if isinstance(node, (ir.If, ir.IfExp, ir.While)):
        return (node.test,)
    if isinstance(node, ir.BoolOp):
        return (node.right,) if isinstance(node.left, ir.BoolOp) else (node.left, node.right)
    if isinstance(node, ir.Unary) and node.op == "not":
        return (node.value,)
    return node.args if isinstance(node, ir.Call) and called_name(node) in ("any", "all") else ()


def _asks(test: object) -> bool:
    return any(isinstance(node, ir.Attr) and node.name == "requires_grad" for node in nodes(test))
