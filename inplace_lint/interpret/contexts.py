"""`with` blocks: grad modes, and everything else, which is entered and left."""

from __future__ import annotations

from collections.abc import Callable

from inplace_lint.interpret import calls, iteration
from inplace_lint.interpret.conditions import truth
from inplace_lint.interpret.run import Run, plain
from inplace_lint.interpret.values import Cell, Native
from inplace_lint.source import ir


def entered(run: Run, node: ir.With, body: Callable[[], None]) -> None:
    """Run the body of a `with` under the grad mode that its items set."""
    from inplace_lint.interpret.evaluate import evaluate

    torch = run.torch
    saved = torch.grad_mode, torch.inference, torch.unchecked
    try:
        for expression, target in node.items:
            cell = evaluate(run, expression)
            value = plain(cell.value)
            if isinstance(value, Native) and value.name in calls.GRAD_MODES:
                torch.grad_mode, infer = calls.GRAD_MODES[value.name]
                torch.inference = torch.inference if infer is None else infer
            elif isinstance(value, Native) and value.name.startswith("grad:"):
                torch.grad_mode = value.name == "grad:True"
            elif isinstance(value, Native) and value.name == "unchecked":
                torch.unchecked = True
            if target is not None:
                opened = calls.special_method(run, cell, "__enter__", (), expression)
                iteration.assign(run, target, opened if opened is not None else Cell(_opened(run, cell, expression)))
        body()
    finally:
        torch.grad_mode, torch.inference, torch.unchecked = saved


def _opened(run: Run, cell: Cell, node: ir.Expr) -> object:
    return cell.value if not isinstance(plain(cell.value), Native) else run.unknown(run.key(node))


def grad_switch(run: Run, value: object, node: ir.Node) -> Native:
    """`torch.set_grad_enabled(value)`: takes effect at once, and as a context."""
    enabled = truth(run, value, node)
    run.torch.grad_mode = enabled
    return Native(f"grad:{enabled}")
