"""Applies decorators of the program, and of libraries in view, to functions and classes; tells bases of classes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from inplace_lint.interpret.state.asked import may_register
from inplace_lint.interpret.state.classes import class_member
from inplace_lint.interpret.state.names import look_up
from inplace_lint.interpret.state.program import ModuleFile
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Class, Function, Instance, Passed, Ref, Value, resolve
from inplace_lint.source import ir
from inplace_lint.source.spelling import root
from inplace_lint.source.walk import is_generator, nodes
from inplace_lint.torch_model.modes import UNCHANGED


def wrap(run: Run, function: Function, decorators: tuple[ir.Expr, ...], node: ir.Node) -> None:
    """Have a function called through what decorators make of it.

    Others may change what it is, as a property does, or the mode it runs in: that is known of the function itself.
    """
    if is_generator(function.code):
        return
    applied = [each for each in decorators if _is_applied(run, function, each, alone=len(decorators) == 1)]
    if not applied:
        return
    inner, before = replace(function), len(run.past)
    made = inner
    for decorator in reversed(applied):
        given = resolve(run.call(run.evaluate(decorator), run.passing(node, Ref(made)), node).value)
        if isinstance(given, Function) and given is not made:
            made = replace(given, wraps=True, mode=given.mode if function.mode == UNCHANGED else function.mode)
    if made is inner:
        return
    function.wrapper, function.inner = made, inner
    # What the wrapper closes over lasts as long as the function.
    function.module.program.circles += [frame.variables for frame in run.past[before:]]
    del run.past[before:]


def _is_applied(run: Run, function: Function, decorator: ir.Expr, alone: bool) -> bool:
    """Whether a decorator makes another function of one, as far as is known.

    Args:
        alone: it is the only decorator.
    """
    found = _decorating(run, decorator.func if isinstance(decorator, ir.Call) else decorator)
    if found is None or is_generator(found.code) or found.module.library or may_register(found):
        return False
    if alone and found.module is function.module:
        return True
    found.module.program.look_into(found.module, found.code)
    return any(_hands_on(outer, inner) for outer, inner in _nested(found.code))


def _decorating(run: Run, named: ir.Expr) -> Function | None:
    """The function that decorates, by its name or as that of a module."""
    found: Value = None
    if isinstance(named, ir.Name):
        found = look_up(run, named).value
    elif isinstance(named, ir.Attr) and isinstance(named.value, ir.Name):
        module = look_up(run, named.value).value
        found = run.get_attribute(Ref(module), named.name, named).value if isinstance(module, ModuleFile) else None
    return found if isinstance(found, Function) else None


def _nested(code: ir.Function) -> Iterator[tuple[ir.Function, ir.Function]]:
    """A function and each that is defined in it, and so on for these."""
    for statement in nodes(code.body, inner=False):
        if isinstance(statement, ir.FunctionDef):
            yield code, statement.function
            yield from _nested(statement.function)


def _hands_on(outer: ir.Function, inner: ir.Function) -> bool:
    """Whether a function calls one that the function around it was given, with all that it was given itself."""
    given = {param.name for param in outer.params}
    own = {param.name for param in inner.params}
    return bool(own) and any(
        isinstance(node, ir.Call)
        and isinstance(node.func, ir.Name)
        and node.func.id in given - own
        and own <= {passed.value.id for passed in node.args if isinstance(passed.value, ir.Name)}
        for node in nodes(inner.body)
    )


def decorate(run: Run, value: Value, decorators: tuple[ir.Expr, ...], node: ir.Node) -> None:
    """Decorators of the program that may fill a registry run for that; the value stays itself."""
    for decorator in reversed(decorators):
        named = decorator.func if isinstance(decorator, ir.Call) else decorator
        first = root(named, (ir.Attr,))
        if isinstance(first, ir.Name):
            found = look_up(run, first).value
            if isinstance(found, ModuleFile):
                found = _decorating(run, named)
            elif isinstance(found, Class) and isinstance(named, ir.Attr):
                method = class_member(run, found, named.name)
                found = method.value if method is not None else None
            if isinstance(found, Instance) or (isinstance(found, Function) and may_register(found)):
                run.registered += 1
                run.call(run.evaluate(decorator), run.passing(node, Ref(value)), node)


def introduce(run: Run, cls: Class) -> None:
    """Have the bases of a class told of it, by `__init_subclass__`, if that may fill a registry."""
    found = class_member(run, cls, "__init_subclass__", after=cls)
    if found is None or not isinstance(found.value, Function) or not may_register(found.value):
        return
    run.registered += 1
    given = run.passing(cls.code)
    for base in cls.code.bases:
        if base.keyword is not None:
            given.keywords[base.keyword] = Passed(run.evaluate(base.value), base, "", run.torch.clock)
    run.call_function(found.value, given, cls.code, Ref(cls))
