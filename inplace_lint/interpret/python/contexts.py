"""`with` blocks: grad modes, context managers of the program, and everything else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from inplace_lint.effort import OutOfEffort
from inplace_lint.interpret.python import calls, iteration
from inplace_lint.interpret.python.generators import Left, suspended
from inplace_lint.interpret.state.conditions import truth
from inplace_lint.interpret.state.run import Jumped, Returned, Run
from inplace_lint.interpret.state.values import Arguments, Function, Native, Ref, Value, resolve
from inplace_lint.source import ir
from inplace_lint.torch_model.modes import GradMode, modes, switch


def entered(run: Run, node: ir.With, body: Callable[[], None]) -> None:
    """Run the body of a `with` inside of what its items enter."""
    with modes(run.torch):
        _enter(run, node.items, body)


def _enter(run: Run, items: Sequence[tuple[ir.Expr, ir.Expr | None]], body: Callable[[], None]) -> None:
    if not items:
        body()
        return
    (expression, target), rest = items[0], items[1:]
    ref = run.evaluate(expression)
    value = resolve(ref.value)

    def inside(opened: Ref) -> None:
        if target is not None:
            iteration.assign(run, target, opened)
        _enter(run, rest, body)

    if isinstance(value, Native):
        if value.around is not None:
            value.around(inside)
            return
        switch(run.torch, value.mode)
    opened = run.special_method(ref, "__enter__", (), expression)
    closing = partial(run.special_method, ref, "__exit__", (Ref(None),) * 3, expression)
    closed_afterwards(partial(inside, opened or Ref(_opened(run, ref, expression))), closing)


def closed_afterwards(inside: Callable[[], object], closing: Callable[[], object]) -> None:
    """Run something, and what must come after it in any case, unless the path ends here."""
    try:
        inside()
    except OutOfEffort:
        raise
    except BaseException:
        closing()
        raise
    closing()


def manager(run: Run, function: Function, arguments: Arguments, node: ir.Node, receiver: Ref | None) -> Native:
    """What a generator that is a context manager gives: the block runs where the generator yields."""

    def enter(inside: Callable[[Ref], None]) -> None:
        frame, depth, outside = calls.new_frame(run, function), len(run.stack), run.torch.situation()

        def block(ref: Ref) -> None:
            try:
                inside(ref)
            except (Returned, Jumped) as left:
                raise Left(left) from None

        def around(ref: Ref) -> None:
            suspended(run, depth, outside, False, lambda: block(ref))

        frame.around, how = around, None
        try:
            calls.executed(run, frame, function, arguments, node, receiver)
        except Left as left:
            how = left.how
        try:
            if how is not None:
                raise how
        finally:
            how = None  # a circle with the traceback
        if frame.around is not None:  # It has not yielded on this path.
            inside(Ref(None))

    def decorated(arguments: Arguments) -> Native:
        """As a decorator (contextlib.ContextDecorator): what is decorated runs inside, at each call."""
        wrapped = arguments.positional[0].ref if arguments.positional else Ref(run.unknown(run.key(node)))

        def called(passed: Arguments) -> Value:
            results: list[Value] = []
            enter(lambda _: results.append(run.call(wrapped, passed, node).value))
            return results[0] if results else run.unknown(run.key(node))

        return Native("decorated", called)

    return Native("manager", decorated, enter)


def _opened(run: Run, ref: Ref, node: ir.Expr) -> object:
    return ref.value if not isinstance(resolve(ref.value), Native) else run.unknown(run.key(node))


def grad_switch(run: Run, value: object, node: ir.Node) -> Native:
    """`torch.set_grad_enabled(value)`: takes effect at once, and as a context."""
    mode = GradMode(grad=truth(run, value, node))
    switch(run.torch, mode)
    return Native("torch.set_grad_enabled", mode=mode)
