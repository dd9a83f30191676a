"""The modes that `torch.no_grad` and its like switch to, as PyTorch does."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import torch

from inplace_lint.torch_model.events import Trace
from inplace_lint.torch_model.machine import Machine
from inplace_lint.torch_model.modes import GRAD_MODES, INFERENCE, NO_GRAD, UNCHANGED, switch

OUTSIDE = {torch.enable_grad: UNCHANGED, torch.no_grad: NO_GRAD, torch.inference_mode: INFERENCE}


@pytest.mark.parametrize("outside", OUTSIDE, ids=lambda outside: outside.__name__)
@pytest.mark.parametrize("name", GRAD_MODES)
def test_switches_what_pytorch_switches(name: str, outside: type) -> None:
    takes_a_mode = name.endswith(("inference_mode", "set_grad_enabled"))
    real = eval(name, {"torch": torch})
    for off in (False, True) if takes_a_mode else (False,):
        machine = Machine(Trace("a test"))
        switch(machine, OUTSIDE[outside])
        switch(machine, GRAD_MODES[name][off])
        with outside(), real(not off) if takes_a_mode else real():
            assert machine.grad_mode == torch.is_grad_enabled()
            assert machine.inference == torch.is_inference_mode_enabled()


def test_modes_are_switched_in_one_place() -> None:
    interpreter = Path(__file__).parent.parent / "inplace_lint" / "interpret"
    switched = [
        f"{file.name}:{node.lineno}"
        for file in interpreter.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        if ast.unparse(node).endswith(("torch.grad_mode", "torch.inference", "torch.unchecked", "torch.mapped"))
    ]
    assert switched == []
