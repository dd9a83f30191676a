"""Numbers that count the turns of a loop: in those that follow the first, they may be any larger ones.

A loop is not followed to its end: `if step > warmup:` would never hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from inplace_lint.interpret.state.keys import Count, Key
from inplace_lint.interpret.state.program import ModuleFile
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Class, Function, Instance, List, Unknown, Value, resolve
from inplace_lint.source import ir
from inplace_lint.source.spelling import called_name, ir_text
from inplace_lint.source.walk import nodes

FOLLOWED = 3
"""So many turns are followed of a loop that asks what number a turn has: the first, and two that stand for the rest."""


def asked(run: Run, loop: ir.For | ir.While) -> frozenset[str]:
    """The numbers that a loop counts with and asks for: `if (i + 1) % 4 == 0`, `if step > warmup`.

    Functions of its file may ask, too, to which it passes them.
    """
    if loop.asked is None:
        counted = frozenset(_counted(loop))
        loop.seconds = counted.intersection(_asked_for_second(loop.body)) if counted else counted
        loop.asked = loop.seconds.union(counted.intersection(_asked(loop.body))) if counted else counted
        if counted - loop.asked and not run.frame.module.library:
            loop.asked |= frozenset(_asked_by_callees(run.frame.module, loop.body, counted, _DEEPEST))
    return loop.asked


def _counted(loop: ir.For | ir.While) -> Iterator[str]:
    if isinstance(loop, ir.For) and isinstance(loop.iter, ir.Call):
        target, name = loop.target, ir_text(loop.iter.func)
        if name == "enumerate" and isinstance(target, ir.Sequence) and target.items:
            target = target.items[0]
        if name in ("enumerate", "range"):
            target = ir.Sequence(target.span, "tuple", (target,))
        if isinstance(target, ir.Sequence):  # A generator may number what it yields.
            yield from (item.id for item in target.items if isinstance(item, ir.Name))
    for node in nodes(loop.body, inner=False):
        if isinstance(node, ir.AugAssign) and node.op == "+" and isinstance(node.target, (ir.Name, ir.Attr)):
            yield ir_text(node.target)
        elif isinstance(node, ir.Assign) and isinstance(node.value, ir.Binary) and node.value.op == "+":
            target, term = node.targets[0], node.value.left
            if isinstance(target, ir.Name) and isinstance(term, ir.Name) and term.id == target.id:
                yield target.id


def _asked(body: tuple[ir.Stmt, ...]) -> Iterator[str]:
    for node in nodes(body, inner=False):
        if isinstance(node, ir.Binary) and node.op == "%":
            yield from _names(node.left)
        elif isinstance(node, (ir.If, ir.IfExp)):
            for part in nodes(node.test):
                if isinstance(part, ir.Compare) and len(part.rest) == 1 and _is_far(part.left, part.rest[0][1]):
                    yield from _names(part)


def _asked_for_second(body: tuple[ir.Stmt, ...]) -> Iterator[str]:
    """What is compared with 1 in a way that tells the second turn from those that follow."""
    for node in nodes(body, inner=False):
        for part in nodes(node.test) if isinstance(node, (ir.If, ir.IfExp)) else ():
            if isinstance(part, ir.Compare) and len(part.rest) == 1:
                op, right = part.rest[0]
                if op in ("==", "!=", ">", "<=") and isinstance(right, ir.Const) and right.value == 1:
                    yield from _names(part.left)


# So many calls deep a number is followed that is passed on.
_DEEPEST = 3


def _asked_by_callees(
    module: ModuleFile, body: tuple[ir.Stmt, ...], names: frozenset[str], deepest: int
) -> Iterator[str]:
    """Those numbers that are passed to functions of a file which ask for them, or pass them on to such."""
    calls = (node for node in nodes(body, inner=False) if isinstance(node, ir.Call)) if deepest else ()
    for call in calls:
        for place, arg in enumerate(call.args):
            name = ir_text(arg.value) if isinstance(arg.value, (ir.Name, ir.Attr)) and not arg.star else ""
            if name in names and any(
                _asks(module, function, _param(params, place, arg), deepest - 1)
                for function, params in _called(module, called_name(call))
            ):
                yield name


def _param(params: tuple[ir.Param, ...], place: int, arg: ir.Arg) -> str:
    """The parameter that an argument is for."""
    names = [param.name for param in params]
    if arg.keyword is not None:
        return arg.keyword if arg.keyword in names else ""
    return names[place] if place < len(names) else ""


def _asks(module: ModuleFile, function: ir.Function, param: str, deepest: int) -> bool:
    if not param:
        return False
    module.program.look_into(module, function)
    if any(name == param for name in _asked(function.body)):
        return True
    return any(True for _ in _asked_by_callees(module, function.body, frozenset({param}), deepest))


def _called(module: ModuleFile, name: str) -> Iterator[tuple[ir.Function, tuple[ir.Param, ...]]]:
    """The functions and methods of a file that have a name, with what is passed to them; else, its callable objects."""
    functions = [(each.function, each.function.params) for each in module.code.body if isinstance(each, ir.FunctionDef)]
    classes = [each for each in module.code.body if isinstance(each, ir.ClassDef)]
    defined = [each.function for cls in classes for each in cls.body if isinstance(each, ir.FunctionDef)]
    methods = [(each, each.params[1:]) for each in defined]
    named = [each for each in functions + methods if each[0].name == name]
    yield from named or [each for each in methods if each[0].name == "__call__"]


def _is_far(left: ir.Expr, right: ir.Expr) -> bool:
    """Whether a comparison is not of the first turns alone, nor of the last one: with no small number or length."""
    return all(
        (isinstance(side, ir.Const) and isinstance(side.value, int) and side.value > 1)
        or (not isinstance(side, ir.Const) and not any(isinstance(part, ir.Call) for part in nodes(side)))
        for side in (left, right)
    )


def _names(part: ir.Node) -> Iterator[str]:
    """The variables and attributes of which something is computed; not what is taken from somewhere by them."""
    if isinstance(part, (ir.Name, ir.Attr)):
        yield ir_text(part)
    elif isinstance(part, ir.Binary):
        yield from _names(part.left)
        yield from _names(part.right)
    elif isinstance(part, ir.Compare):
        yield from _names(part.left)
        yield from _names(part.rest[0][1])


def go_on(run: Run, loop: ir.For | ir.While, turn: int) -> None:
    """Let the numbers that a loop asks for be any that may follow, in a turn after the first.

    One that tells the second turn from the others stays as it is in that.
    """
    for name in asked(run, loop):
        ref = run.frame.variables.get(name)
        value = resolve(ref.value) if ref is not None else None
        if turn == 2 and value == 1 and name in loop.seconds:
            continue
        if isinstance(value, int) and not isinstance(value, bool):
            number = _number(run, Count((run.key(loop), name), turn, value))
            run.bind(run.frame, name, number, run.site(loop), None)


def counted_on(run: Run, node: ir.AugAssign, before: Value) -> Value:
    """What an attribute is after it was increased in a turn that stands for later ones; None if no method asks for it.

    It is the same in all of them, so that they go one way. What is a position as well is left alone.
    """
    if not run.later or node.op != "+" or not isinstance(node.target, ir.Attr):
        return None
    place = (run.key(node), "counted")
    if isinstance(before, Unknown):
        made = before.key.made if isinstance(before.key, Key) else None
        return before if isinstance(made, Count) and made.place == place else None
    cls = run.frame.self_class
    if not isinstance(before, int) or isinstance(before, bool) or cls is None:
        return None
    return _number(run, Count(place, 0, before)) if ir_text(node.target) in _asked_of(cls) else None


def length_by_then(run: Run, value: Value, node: ir.Expr, other: ir.Expr) -> Value:
    """The length that a list has in a turn that stands for later ones, if the loop makes it longer: this or more.

    Args:
        other: what it is compared with.
    """
    if not run.later or not isinstance(value, int) or not (isinstance(node, ir.Call) and len(node.args) == 1):
        return value
    if not isinstance(node.func, ir.Name) or node.func.id != "len" or not run.shortened or not _is_limit(run, other):
        return value
    given = node.args[0].value
    counted = resolve(run.evaluate(given).value) if isinstance(given, (ir.Name, ir.Attr)) else None
    for _ in range(_MOST_HOLDERS):
        if isinstance(counted, Instance):
            counted = _counted_by(counted)
    if not isinstance(counted, List) or not counted.items or counted.kind == "tuple":
        return value
    last = counted.items[-1].binding
    return _number(run, Count(run.key(node), 0, value)) if last and last.bound_at > run.shortened[0] else value


# An object may count what another one does, which it stands before.
_MOST_HOLDERS = 4


def _counted_by(instance: Instance) -> Value:
    """What an object counts if it is asked for its length: `def __len__(self): return len(self.items)`."""
    lineage = instance.cls.lineage if isinstance(instance.cls, Class) else ()
    found = next((base.frame.variables["__len__"] for base in lineage if "__len__" in base.frame.variables), None)
    method = resolve(found.value) if found is not None else None
    last = method.code.body[-1] if isinstance(method, Function) else None
    if not isinstance(last, ir.Return) or not isinstance(last.value, ir.Call) or len(last.value.args) != 1:
        return None
    given = last.value.args[0].value
    return (
        resolve(instance.held[given.name].value) if isinstance(given, ir.Attr) and given.name in instance.held else None
    )


def _is_limit(run: Run, node: ir.Expr) -> bool:
    """Whether something stays as it is while a loop runs."""
    if isinstance(node, ir.Name):
        ref = run.frame.variables.get(node.id)
        binding = ref.binding if ref is not None else None
        if binding is not None and binding.kind == "parameter":
            binding = binding.source  # None: it is the same text that gives it in each turn
        return binding is None or binding.bound_at < run.shortened[0]
    return isinstance(node, (ir.Const, ir.Attr))


def _asked_of(cls: Class) -> frozenset[str]:
    """The attributes for which methods ask how large they are, and that are no positions there."""
    methods = [member.function for member in cls.code.body if isinstance(member, ir.FunctionDef)]
    for method in methods:
        cls.module.program.look_into(cls.module, method)
    if cls.code.asked is None:
        everything = [node for method in methods for node in nodes(method.body, inner=False)]
        indices = (node.index for node in everything if isinstance(node, ir.Index))
        positions = {name for index in indices for node in nodes(index) for name in _names(node)}
        cls.code.asked = frozenset(name for method in methods for name in _asked(method.body)) - positions
    return cls.code.asked


def _number(run: Run, made: Count) -> Value:
    number = run.unknown(made)
    if isinstance(number, Unknown):
        number.not_tensor = number.is_whole = True
    return number


def told_by_least(op: str, one: Value, other: Value) -> bool | None:
    """What a comparison with a number says that is some number or more; None if that does not decide."""
    if isinstance(one, Unknown) and isinstance(one.key, Key) and isinstance(one.key.made, Count):
        least = one.key.made.least
        if least is not None and isinstance(other, (int, float)) and op in _DECIDED:
            return _DECIDED[op](least, other)
    return None


_DECIDED: dict[str, Callable[[int, float], bool | None]] = {
    "==": lambda least, other: False if other < least else None,
    "!=": lambda least, other: True if other < least else None,
    ">": lambda least, other: True if other < least else None,
    "<=": lambda least, other: False if other < least else None,
    ">=": lambda least, other: True if other <= least else None,
    "<": lambda least, other: False if other <= least else None,
}
