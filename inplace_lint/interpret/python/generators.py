"""Generators of the program from which a loop takes in turn: its body runs where the generator yields."""

from __future__ import annotations

from collections.abc import Callable

from inplace_lint.interpret.python import calls
from inplace_lint.interpret.state.classes import class_member
from inplace_lint.interpret.state.run import Jumped, Raised, Returned, Run
from inplace_lint.interpret.state.values import Arguments, Class, Function, Instance, Native, Ref, resolve
from inplace_lint.source import ir
from inplace_lint.source.walk import is_generator
from inplace_lint.torch_model.modes import UNCHANGED
from inplace_lint.torch_model.tape import Situation


class Left(Exception):
    """A block that runs inside of a generator was left by `return`, `break`, `continue` or an exception."""

    def __init__(self, how: Returned | Jumped | Raised) -> None:
        self.how = how


def suspended(run: Run, depth: int, outside: Situation, modes: bool, block: Callable[[], None]) -> None:
    """Run a block of the caller's while a generator waits.

    Args:
        depth: how many frames the caller has.
        outside: the situation of the caller.
        modes: whether the generator's own grad modes end there.
    """
    within, frames = run.torch.situation(), run.stack[depth:]
    del run.stack[depth:]
    run.torch.resume(outside, modes)
    try:
        block()
    finally:
        run.stack.extend(frames)
        run.torch.resume(within)


def in_turn(run: Run, function: Function, arguments: Arguments, node: ir.Node, receiver: Ref | None) -> Native:
    """What a generator gives to a loop: it runs, and hands over what it yields."""

    def around(each: Callable[[Ref], None]) -> None:
        frame, depth, outside = calls.new_frame(run, function), len(run.stack), run.torch.situation()
        modes, how = function.mode != UNCHANGED, None

        def block(ref: Ref) -> None:
            try:
                each(ref)
            except (Returned, Jumped, Raised) as left:
                raise Left(left) from None

        frame.yields, frame.each = [], lambda ref: suspended(run, depth, outside, modes, lambda: block(ref))
        try:
            calls.executed(run, frame, function, arguments, node, receiver)
        except Left as left:
            how = left.how
        frame.each = None
        try:
            if how is not None:
                raise how
        finally:
            how = None  # a circle with the traceback

    return Native("generator", None, around)


def taken(run: Run, node: ir.Expr) -> Ref:
    """Evaluate the iterable of a loop; a generator, called there or by `__iter__`, is returned suspended."""
    run.looping = node
    try:
        ref = run.evaluate(node)
        if isinstance(resolve(ref.value), Instance):
            run.looping = node
            found = run.special_method(ref, "__iter__", (), node) if _iterates_by_generator(run, ref) else None
            return found if found is not None else ref
        return ref
    finally:
        run.looping = None


def _iterates_by_generator(run: Run, ref: Ref) -> bool:
    value = resolve(ref.value)
    cls = value.cls if isinstance(value, Instance) else None
    member = class_member(run, cls, "__iter__") if isinstance(cls, Class) else None
    return member is not None and isinstance(member.value, Function) and is_generator(member.value.code)
