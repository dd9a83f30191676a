"""Applies decorators of the program to functions and classes."""

from __future__ import annotations

from dataclasses import replace

from inplace_lint.interpret.state.asked import may_register
from inplace_lint.interpret.state.names import look_up
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Function, Instance, Ref, Value, resolve
from inplace_lint.source import ir
from inplace_lint.source.spelling import root
from inplace_lint.source.walk import is_generator


def wrap(run: Run, function: Function, decorators: tuple[ir.Expr, ...], node: ir.Node) -> None:
    """Have a function called through what a decorator of its own file makes of it."""
    if not decorators or len(decorators) > 1 or is_generator(function.code):
        return  # Others may change what it is: a property, a grad mode.
    root = decorators[0].func if isinstance(decorators[0], ir.Call) else decorators[0]
    found = look_up(run, root).value if isinstance(root, ir.Name) else None
    if not isinstance(found, Function) or found.module is not function.module or is_generator(found.code):
        return
    if may_register(found):
        return
    inner, before = replace(function), len(run.past)
    made = resolve(run.call(run.evaluate(decorators[0]), run.passing(node, Ref(inner)), node).value)
    if isinstance(made, Function) and made is not inner:
        function.wrapper, function.inner = made, inner
        # What the wrapper closes over lasts as long as the function.
        function.module.program.circles += [frame.variables for frame in run.past[before:]]
        del run.past[before:]


def decorate(run: Run, value: Value, decorators: tuple[ir.Expr, ...], node: ir.Node) -> None:
    """Decorators of the program that may fill a registry run for that; the value stays itself."""
    for decorator in reversed(decorators):
        first = root(decorator.func if isinstance(decorator, ir.Call) else decorator, (ir.Attr,))
        if isinstance(first, ir.Name):
            found = look_up(run, first).value
            if isinstance(found, Instance) or (isinstance(found, Function) and may_register(found)):
                run.registered += 1
                run.call(run.evaluate(decorator), run.passing(node, Ref(value)), node)
