"""Synthesises `self` for a method: runs `__init__` lazily, attribute by attribute.

A statement such as `self.layer = nn.Linear(3, 4)` waits until the attribute is read. A method uses few of the
attributes that a constructor makes. A call such as `self.post_init()` of what another file defines waits until an
attribute is read that the object lacks.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import suppress

from inplace_lint.interpret.python.set_elsewhere import note_filled
from inplace_lint.interpret.state.asked import assigns_attributes, may_set
from inplace_lint.interpret.state.classes import class_member
from inplace_lint.interpret.state.oracle import Unprepared
from inplace_lint.interpret.state.run import Raised, Run
from inplace_lint.interpret.state.values import Class, Function, Instance, resolve
from inplace_lint.source import ir
from inplace_lint.source.facts import Gives
from inplace_lint.source.spelling import root_name
from inplace_lint.source.syntax import is_initializer
from inplace_lint.source.walk import nodes
from inplace_lint.torch_model.spellings import is_spelled_in_place


def construct(run: Run, instance: Instance, code: ir.Function) -> None:
    """Execute the body of a constructor, whose arguments have been bound."""
    if code.gives is None:
        code.gives = tuple(_gives(code))
    for statement, given in zip(code.body, code.gives, strict=True):
        if given.only is not None:
            name = given.only
            instance.postpone(name, _later(run, statement, code.params[0].name, name))
        elif run.oracle.preparing and _initializes_elsewhere(run, instance, statement, code):
            instance.deferred.append(_later(run, statement, code.params[0].name))
        else:
            with suppress(Raised):  # there is an object: its constructor went on
                run.execute(statement)
            for name in given.names:
                note_filled(instance, name)


def _initializes_elsewhere(run: Run, instance: Instance, statement: ir.Stmt, code: ir.Function) -> bool:
    """Whether a statement only calls a method, defined in another file, that gives parameters their first values."""
    call = statement.value if isinstance(statement, ir.ExprStmt) else None
    if not (isinstance(call, ir.Call) and isinstance(call.func, ir.Attr) and isinstance(call.func.value, ir.Name)):
        return False
    if call.func.value.id != code.params[0].name or not is_initializer(call.func.name):
        return False
    method = class_member(run, instance.cls, call.func.name) if isinstance(instance.cls, Class) else None
    found = method.value if method is not None else None
    return isinstance(found, Function) and isinstance(instance.cls, Class) and found.module is not instance.cls.module


def make_deferred_for(instance: Instance, name: str) -> bool:
    """Make the calls that a constructor has deferred, if they may give an attribute; whether there were any."""
    if not (instance.deferred and isinstance(instance.cls, Class) and may_set(instance.cls, name)):
        return False
    return instance.make_deferred()


def tells_only(run: Run, function: Function) -> bool:
    """Whether, while an object is made up, a function of another file only tells a number or a text, by its signature.

    It would compute that from options that nobody knows.
    """
    returns = function.code.returns
    if not run.oracle.preparing or not isinstance(returns, ir.Name) or returns.id not in _TOLD:
        return False
    elsewhere = not function.module.library and function.module is not run.stack[0].module
    return elsewhere and not assigns_attributes(function)


_TOLD = frozenset({"bool", "str", "int", "float"})


def _attributes_given(statement: ir.Stmt) -> Iterator[str]:
    for node in nodes(statement, inner=False):
        if isinstance(node, ir.Assign):
            yield from (target.name for target in node.targets if isinstance(target, ir.Attr))


def _later(run: Run, statement: ir.Stmt, itself: str, name: str = "") -> Callable[[], None]:
    """Executes a statement, which may fill an attribute, as if it were now; the object, which keeps that, is not kept.

    Args:
        run: in whose situation of now the statement is executed.
        statement: of a constructor.
        itself: the variable of the object that is constructed.
        name: the attribute, if any.
    """
    torch, stack, then = run.torch, list(run.stack), run.torch.situation()

    def make() -> None:
        around, preparing, now = run.stack, run.oracle.preparing, torch.situation()
        run.stack, run.oracle.preparing = stack, True
        torch.resume(then)
        began, earlier = torch.tick(), torch.belated
        torch.belated = earlier or began
        try:
            run.execute(statement)
            if name and isinstance(made := resolve(stack[-1].variables[itself].value), Instance):
                note_filled(made, name)
        except (Raised, Unprepared):
            pass
        finally:
            run.prepared.append((began, torch.tick()))
            run.stack, run.oracle.preparing, torch.belated = around, preparing, earlier
            torch.resume(now)

    return make


def _gives(code: ir.Function) -> list[Gives]:
    """What each statement of a constructor gives attributes."""
    gives: list[Gives] = []
    later: set[str] = set()
    for statement in reversed(code.body):
        gives.append(Gives(_given(statement, code, later), tuple(_attributes_given(statement))))
        later.update(_bound((statement,)))
    return gives[::-1]


def _given(statement: ir.Stmt, code: ir.Function, rebound: Collection[str]) -> str | None:
    """The attribute that a statement only gives a value, which is the same at any later time."""
    if not isinstance(statement, ir.Assign) or len(statement.targets) != 1 or not code.params:
        return None
    target, value, itself = statement.targets[0], statement.value, code.params[0].name
    if not (isinstance(target, ir.Attr) and isinstance(target.value, ir.Name) and target.value.id == itself):
        return None
    if not isinstance(value, (ir.Call, ir.Index, ir.IfExp)):
        return None
    for node in nodes(value):
        if isinstance(node, ir.Name) and node.id in rebound:
            return None
        if isinstance(node, (ir.Named, ir.Yield)) or (isinstance(node, ir.Attr) and node.name in _PRESENT):
            return None
        if isinstance(node, ir.Call) and isinstance(node.func, ir.Attr) and _changes(node.func, itself):
            return None
    return target.name


# What keeps the memory that a tensor has now: it may be overwritten before it is read.
_PRESENT = frozenset({"data", "detach"})
_CHANGING = frozenset({"pop", "popleft", "popitem", "append", "extend", "insert", "update", "setdefault", "add"})


def _changes(called: ir.Attr, itself: str) -> bool:
    """Whether a method may change what later statements use."""
    return called.name in _CHANGING or (isinstance(called.value, ir.Name) and called.value.id == itself)


def _written_by(call: ir.Call) -> str:
    """The variable that a method writes in place, itself or a part of it."""
    if not isinstance(call.func, ir.Attr) or not is_spelled_in_place(call.func.name):
        return ""
    return root_name(call.func.value, (ir.Index,))


def _bound(body: tuple[ir.Stmt, ...]) -> Iterator[str]:
    """The names that statements bind, or whose values they write in place."""
    for statement in body:
        for node in nodes(statement, inner=False):
            targets: tuple[ir.Expr | None, ...] = ()
            if isinstance(node, ir.Assign):
                targets = node.targets
            elif isinstance(node, (ir.AugAssign, ir.For)):
                targets = (node.target,)
            elif isinstance(node, ir.With):
                targets = tuple(name for _, name in node.items)
            elif isinstance(node, ir.Call) and (written := _written_by(node)):
                yield written
            elif isinstance(node, ir.Named):
                yield node.target.id
            elif isinstance(node, ir.FunctionDef):
                yield node.function.name
            elif isinstance(node, (ir.ClassDef, ir.Import)):
                yield node.name
            elif isinstance(node, ir.ImportFrom):
                yield from (alias for _, alias in node.names)
            for target in targets:
                yield from (each.id for each in nodes(target) if isinstance(each, ir.Name))
