"""What the syntax of a function shows, in one pass: where it may write, what it calls, what it mentions.

The screen collects the same from Python's own trees, before anything is lowered; `torch_model/spellings.py` tells both
what writes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from inplace_lint.interpret.state.program import ModuleFile
from inplace_lint.source import ir
from inplace_lint.source.facts import BranchFacts, FunctionFacts
from inplace_lint.source.spelling import called_name, last_word, root_name
from inplace_lint.source.walk import nodes
from inplace_lint.torch_model.spellings import (
    asks_to_write,
    is_inplace_option,
    is_spelled_in_place,
    is_writer,
    names_a_writer,
    out_of_place_methods,
    positions,
    writes_by_name,
)

REGISTERING = frozenset({"register_buffer", "register_parameter", "register_module", "add_module"})
"""What gives a module an attribute by its name."""


def facts(function: ir.Function) -> FunctionFacts:
    """What the syntax of a function shows."""
    if function.facts is None:
        rows: set[int] = set()
        written: list[tuple[str, int]] = []
        calls: list[tuple[str, int]] = []
        passed: list[tuple[str, int]] = []
        mentions: set[str] = set()
        assigned: set[str] = set()
        given: dict[str, list[ir.Assign]] = defaultdict(list)
        counted: set[str] = set()
        filled: set[str] = set()
        used: dict[str, set[str]] = defaultdict(set)
        counted_of: set[str] = set()
        copied: set[tuple[str, str]] = set()
        stand_ins: list[ir.Stmt] = []
        fills = False
        for node in nodes(function.body):
            if isinstance(node, ir.Name):
                mentions.add(node.id)
            elif isinstance(node, ir.Call):
                if name := called_name(node):
                    calls.append((name, node.span.end_row))
                if base := _short(node.func):
                    used[base].add(f"({len(node.args)})")
                copied.update(_copied_over(node))
                passed += [(each.value.id, node.span.end_row) for each in node.args if isinstance(each.value, ir.Name)]
                counted_of.update(_counted(node))
            elif isinstance(node, ir.Attr) and (base := _short(node.value)):
                used[base].add(node.name)
            elif isinstance(node, ir.Assign):
                assigned.update(_attributes(node.targets))
                _note_given(given, node)
                filled.update(_of_items(node.targets))
            elif isinstance(node, ir.AugAssign) and isinstance(node.target, ir.Attr):
                counted.add(node.target.name)
            elif isinstance(node, ir.If):
                stand_ins += _stand_ins(node)
            fills = fills or _fills(node)
            if looks_like_write(node):
                rows.add(node.span.row)
                written += [(name, node.span.row) for name in _written(node)]
        function.facts = FunctionFacts(
            tuple(sorted(rows)), tuple(written), tuple(calls), tuple(passed), frozenset(mentions), fills,
            frozenset(assigned), {name: (*each,) for name, each in given.items()}, frozenset(counted),
            frozenset(filled),
            {base: frozenset(names) for base, names in used.items()}, frozenset(counted_of), frozenset(copied),
            tuple(stand_ins),
        )  # fmt: skip
    return function.facts


def branch_facts(node: ir.If) -> tuple[BranchFacts, BranchFacts]:
    """What the syntax of both branches of an `if` shows: of the one where the test holds, and of the other one."""
    if node.facts is None:
        node.facts = _of_branch(node.body), _of_branch(node.orelse)
    return node.facts


def _of_branch(way: tuple[ir.Stmt, ...]) -> BranchFacts:
    gives: set[str] = set()
    hands_over: set[str] = set()
    binds: set[str] = set()
    for node in nodes(way):
        gives.update(given_attributes(node))
        if isinstance(node, ir.Assign):
            binds.update(each.id for target in node.targets for each in _targets(target) if isinstance(each, ir.Name))
        if isinstance(node, ir.ExprStmt) and isinstance(node.value, ir.Call):
            hands_over.update(each.value.id for each in node.value.args if isinstance(each.value, ir.Name))
    return BranchFacts(frozenset(gives), frozenset(hands_over), frozenset(binds))


def _targets(target: ir.Expr) -> tuple[ir.Expr, ...]:
    return target.items if isinstance(target, ir.Sequence) else (target,)


def given_attributes(node: ir.Node) -> Iterator[str]:
    """The attributes that a node, without the nodes below, gives an object: `self.a = ...`, `register_buffer("a")`."""
    if isinstance(node, ir.Assign):
        yield from (target.name for target in node.targets if isinstance(target, ir.Attr))
    elif isinstance(node, ir.Call) and called_name(node) in REGISTERING and node.args:
        name = node.args[0].value
        if isinstance(name, ir.Const) and isinstance(name.value, str):
            yield name.value


def _stand_ins(node: ir.If) -> Iterator[ir.Stmt]:
    """What `if v is None: v = u` assigns."""
    test = node.test
    if not (isinstance(test, ir.Compare) and isinstance(test.left, ir.Name) and len(test.rest) == 1):
        return
    (op, other), name = test.rest[0], test.left.id
    if op == "is" and isinstance(other, ir.Const) and other.value is None:
        for each in node.body:
            if isinstance(each, ir.Assign) and any(isinstance(to, ir.Name) and to.id == name for to in each.targets):
                yield each


def _note_given(given: dict[str, list[ir.Assign]], node: ir.Assign) -> None:
    """Note an assignment by the attributes that stand in its targets."""
    for name in {each.name for each in nodes(node.targets) if isinstance(each, ir.Attr)}:
        given[name].append(node)


def _counted(call: ir.Call) -> list[str]:
    """The variable of which a call asks the length."""
    args = call.args if called_name(call) == "len" else ()
    return [each.value.id for each in args if isinstance(each.value, ir.Name)]


def _copied_over(call: ir.Call) -> Iterator[tuple[str, str]]:
    """Into which variable, and from which, a call copies: `x.copy_(y)`."""
    if isinstance(call.func, ir.Attr) and call.func.name == "copy_" and call.args:
        into, source = call.func.value, call.args[0].value
        if isinstance(into, ir.Name) and isinstance(source, ir.Name):
            yield into.id, source.id


def _short(node: ir.Expr) -> str:
    """A variable, or an attribute of one, as it is spelled."""
    if isinstance(node, ir.Attr) and isinstance(node.value, ir.Name):
        return f"{node.value.id}.{node.name}"
    return node.id if isinstance(node, ir.Name) else ""


def may_write(function: ir.Function) -> bool:
    """Whether a function has anything that may write memory in place."""
    return bool(facts(function).write_rows)


def makes_model(code: ir.Function) -> bool:
    """Whether a function can be called without arguments, and gives back what `nn.Sequential` makes."""
    if not all(param.default is not None or param.kind in ("args", "kwargs") for param in code.params):
        return False
    given = [node.value for node in nodes(code.body, inner=False) if isinstance(node, ir.Return)]
    return bool(given) and all(isinstance(each, ir.Call) and called_name(each) == "Sequential" for each in given)


def writers(module: ModuleFile) -> frozenset[str]:
    """The names of the functions of a file that may write in place, and of the classes whose objects, called, may."""
    if module.writers is None:
        known = list(nodes(module.code.body))
        functions = [node for node in known if isinstance(node, ir.Function)]
        names = [function.name for function in functions if not function.name.startswith("__") and may_write(function)]
        classes = [node.name for node in known if isinstance(node, ir.ClassDef) and _writes_when_called(node)]
        module.writers = frozenset((*names, *classes))
    return module.writers


def _writes_when_called(cls: ir.ClassDef) -> bool:
    own = (each.function for each in cls.body if isinstance(each, ir.FunctionDef))
    return any(method.name == "__call__" and may_write(method) for method in own)


def _attributes(targets: Iterable[ir.Expr]) -> Iterator[str]:
    """The attributes that are assigned, each by itself or as one of several."""
    for target in targets:
        if isinstance(target, ir.Attr):
            yield target.name
        elif isinstance(target, ir.Sequence):
            yield from _attributes(target.items)


def _of_items(targets: Iterable[ir.Expr]) -> Iterator[str]:
    """The attributes of which items are assigned: `self.rows[i]`, `self.tables[name][i]`."""
    for target in targets:
        if isinstance(target, ir.Sequence):
            yield from _of_items(target.items)
        of = target
        while isinstance(of, ir.Index):
            of = of.value
        if isinstance(of, ir.Attr) and of is not target:
            yield of.name


def _fills(node: ir.Node) -> bool:
    return isinstance(node, ir.Assign) and any(isinstance(target, ir.Index) for target in node.targets)


def looks_like_write(node: ir.Node) -> bool:
    """Whether a node, without the nodes below, may write in place."""
    if isinstance(node, ir.Name):
        return is_spelled_in_place(node.id)
    if isinstance(node, ir.Attr):
        return writes_by_name(last_word(node.value), node.name)
    if isinstance(node, ir.Call):
        return _is_asked(node)
    if isinstance(node, ir.Arg):
        return asks_to_write(node.keyword)
    if isinstance(node, ir.Const):
        return isinstance(node.value, str) and names_a_writer(node.value)
    if isinstance(node, ir.Assign):
        return any(map(is_written, node.targets))
    if isinstance(node, (ir.For, ir.With)):
        return any(map(is_written, _bound(node)))
    if isinstance(node, ir.ExprStmt):  # `x.clamp(0, 1)` may have been meant to write
        return isinstance(node.value, ir.Call) and called_name(node.value) in out_of_place_methods()
    return isinstance(node, ir.AugAssign)


def _written(node: ir.Node) -> Iterator[str]:
    """The variables that a node which looks like a write may write: `x.mul_(2)`, `x += 1`, `x[0] = 1`."""
    if isinstance(node, ir.Attr) and isinstance(node.value, ir.Name):
        yield node.value.id
    elif isinstance(node, (ir.Assign, ir.AugAssign)):
        targets = node.targets if isinstance(node, ir.Assign) else (node.target,)
        yield from filter(None, (root_name(target, (ir.Index,)) for target in targets))


def _bound(node: ir.For | ir.With) -> list[ir.Expr]:
    """What a statement with a block assigns before that is run."""
    return [node.target] if isinstance(node, ir.For) else [target for _, target in node.items if target is not None]


def is_written(target: ir.Expr) -> bool:
    """Whether what is assigned may be a part of a tensor, its memory, or an option of a layer."""
    if isinstance(target, ir.Sequence):
        return any(map(is_written, target.items))
    if isinstance(target, ir.Attr):
        return target.name == "data" or is_inplace_option(target.name)
    return isinstance(target, ir.Index)


def _is_asked(call: ir.Call) -> bool:
    """Whether a call goes to a function that writes, or asks for a write by position."""
    name = called_name(call)
    position = positions().get(name)
    if position is not None and sum(argument.keyword is None for argument in call.args) > position:
        return True
    return isinstance(call.func, ir.Name) and is_writer(name)
