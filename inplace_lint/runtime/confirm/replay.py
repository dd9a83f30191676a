"""Runs a traced graph, node by node, as the program ran."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import torch
from torch import Tensor, fx

from inplace_lint.runtime.confirm.trace import Mode, Traced
from inplace_lint.runtime.recorder import Place
from inplace_lint.runtime.target import Call
from inplace_lint.runtime.values import leaves


class Replay(fx.Interpreter):
    """A graph on a fresh model and fresh inputs.

    Attributes:
        place: where in the program the node that is running stands.
    """

    def __init__(self, traced: Traced, call: Call) -> None:
        assert call.model is not None
        super().__init__(call.model, graph=traced.graph, garbage_collect_values=True)
        self.extra_traceback = False
        self.place = Place(())
        self._inputs = leaves((call.args, dict(call.kwargs)))
        self._constants = {
            name: value.detach().clone().requires_grad_(value.requires_grad) for name, value in traced.constants.items()
        }

    def given(self) -> list[Tensor]:
        """The inputs, and the constants of the trace."""
        return [*self._inputs, *self._constants.values()]

    def tensors(self) -> list[Tensor]:
        """Run, and return all tensors of the program's result."""
        return list(self.run(*self._inputs))

    def run_node(self, node: fx.Node) -> Any:
        """Run one node, in the modes in which it was traced."""
        if node.op in ("output", "placeholder", "get_attr"):
            return super().run_node(node)
        self.place = node.meta["place"]
        with modes(node.meta["mode"]):
            return super().run_node(node)

    def fetch_attr(self, target: str) -> Any:
        """A parameter, a buffer, or a constant of the trace."""
        return self._constants[target] if target in self._constants else super().fetch_attr(target)


def modes(mode: Mode) -> ExitStack:
    """Turn on the modes that were on when a node was traced."""
    stack = ExitStack()
    if mode.inference != torch.is_inference_mode_enabled():
        stack.enter_context(torch.inference_mode(mode.inference))
    stack.enter_context(torch.set_grad_enabled(mode.grad))
    if mode.autocast is not None:
        stack.enter_context(torch.autocast("cpu", dtype=mode.autocast))
    return stack
