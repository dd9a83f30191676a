"""What optimizers remember: each of PyTorch's is run, and a live `state_dict()` told where PyTorch changes it."""

from __future__ import annotations

import inspect
import sys
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from inplace_lint.pipeline.lint_file import lint_source

_NAMES = [name for name, kind in vars(torch.optim).items() if inspect.isclass(kind) and name != "Optimizer"]
_MAKE = {
    **{name: f"{name}(model.parameters(), lr=0.1)" for name in _NAMES},
    "SGD with momentum": "SGD(model.parameters(), lr=0.01, momentum=0.9)",
    "SGD with momentum by position": "SGD(model.parameters(), 0.01, 0.9)",
    "SGD with no momentum": "SGD(model.parameters(), lr=0.01, momentum=0.0)",
    "SGD with momentum of a group": 'SGD([{"params": model.parameters(), "momentum": 0.9}], lr=0.01)',
}

_PROGRAM = """
import copy

import torch


def fit(model, optimizer):
    def closure():
        optimizer.zero_grad()
        loss = model(torch.tensor([0, 1])).pow(4).sum()
        loss.backward()
        return loss

    optimizer.step(closure)


def made():
    torch.manual_seed(0)
    model = torch.nn.Embedding(3, 2, sparse=SPARSE)
    return model, torch.optim.MAKE


def program():
"""

_BEGIN = """
    model, optimizer = made()
    saved = TAKEN
    fit(model, optimizer)
    fit(model, optimizer)
    optimizer.load_state_dict(saved)
    return optimizer.state_dict()
"""

_SNAPSHOT = """
    model, optimizer = made()
    fit(model, optimizer)
    saved = TAKEN
    fit(model, optimizer)
    optimizer.load_state_dict(saved)
    return optimizer.state_dict()
"""

_TWO = """
    model, optimizer = made()
    fit(model, optimizer)
    saved = TAKEN
    second, another = made()
    fit(second, another)
    another.load_state_dict(saved)
    fit(model, optimizer)
    fit(second, another)
    return another.state_dict()
"""

_HANDED_OVER = """
    model, optimizer = made()
    fit(model, optimizer)
    saved = TAKEN
    second, another = made()
    another.load_state_dict(saved)
    fit(second, another)
    fit(second, another)
    return another.state_dict()
"""


@pytest.mark.parametrize("body", [_BEGIN, _SNAPSHOT, _TWO, _HANDED_OVER], ids=["begin", "snapshot", "two", "handed"])
@pytest.mark.parametrize("name", _MAKE)
def test_a_live_state(name: str, body: str) -> None:
    live, copied = (
        (_PROGRAM + body)
        .replace("MAKE", _MAKE[name])
        .replace("SPARSE", str(name == "SparseAdam"))
        .replace("TAKEN", f"{taken}(optimizer.state_dict())")
        for taken in ("", "copy.deepcopy")
    )
    differ = _tensors(_result(live)) != _tensors(_result(copied))
    assert [each.code for each in lint_source(live)] == (["IPL304"] if differ else [])
    assert not lint_source(copied)


def _result(text: str) -> Any:
    space: dict[str, Any] = {}
    exec(text, space)
    return space["program"]()


def _tensors(value: Any) -> list[Any]:
    if isinstance(value, torch.Tensor):
        return [value.tolist()]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return [each for item in items for each in _tensors(item)]


# What happens before `optimizer.step()`, and whether that changes parameters which a backward still needs.
_BEFORE_STEP = {
    "nothing": ("", False),
    "schedule": ("torch.optim.lr_scheduler.StepLR(optimizer, 1)", False),
    "backward": ("net(x).sum().backward()", True),
    "none": ("net(x).sum().backward(); optimizer.zero_grad()", False),
    "none by the module": ("net(x).sum().backward(); net.zero_grad()", False),
    "none by hand": ("net(x).sum().backward(); net.weight.grad = None; net.bias.grad = None", False),
    "zeros": ("net(x).sum().backward(); optimizer.zero_grad(set_to_none=False)", True),
    "set by hand": ("net.weight.grad = torch.ones(2, 2)", True),
    "frozen": ("net(x).sum().backward(); net.requires_grad_(False)", True),
}
_STEPPED = """
import torch


def program():
    net = torch.nn.Linear(2, 2)
    optimizer = torch.optim.OPTIMIZER(net.parameters(), lr=0.1)
    x = torch.ones(1, 2, requires_grad=True)
    BEFORE
    y = net(x)
    optimizer.step()
    y.sum().backward()
"""


@pytest.mark.parametrize("optimizer", ["SGD", "Adam"])
@pytest.mark.parametrize(("before", "raises"), _BEFORE_STEP.values(), ids=_BEFORE_STEP)
def test_step_leaves_what_has_no_gradient(optimizer: str, before: str, raises: bool) -> None:
    text = _STEPPED.replace("OPTIMIZER", optimizer).replace("BEFORE", before)
    with pytest.raises(RuntimeError, match="modified by an inplace operation") if raises else nullcontext():
        _result(text)
    assert [each.code for each in lint_source(text)] == (["IPL203"] if raises else [])


class _Sharp(torch.optim.Optimizer):
    """What libraries offer as `SAM`: it climbs, and steps with the gradient that it finds there."""

    def __init__(self, params: Any, base: Any, lr: float) -> None:
        super().__init__(params, {})
        self.base = base(self.param_groups, lr=lr)

    @torch.no_grad()
    def first_step(self, zero_grad: bool = False) -> None:
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["old"] = p.clone()
                p.add_(p.grad, alpha=0.05)
        if zero_grad:
            self.zero_grad()

    @torch.no_grad()
    def second_step(self, zero_grad: bool = False) -> None:
        for group in self.param_groups:
            for p in group["params"]:
                p.copy_(self.state[p]["old"])
        self.base.step()
        if zero_grad:
            self.zero_grad()


_SHARPLY = """
import torch
from torch import nn
from pytorch_optimizer import SAM


def program():
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    optimizer = SAM(net.parameters(), torch.optim.SGD, lr=0.1)
    for x in torch.rand(2, 4, 2):
        loss = net(x).square().mean()
        loss.backward(retain_graph=True)
        optimizer.first_step(zero_grad=True)
        AGAIN.backward()
        optimizer.second_step(zero_grad=True)
"""


@pytest.mark.parametrize(("again", "raises"), [("loss", True), ("net(x).square().mean()", False)])
def test_what_climbs_has_written(again: str, raises: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    text = _SHARPLY.replace("AGAIN", again)
    monkeypatch.setitem(sys.modules, "pytorch_optimizer", SimpleNamespace(SAM=_Sharp))
    with pytest.raises(RuntimeError, match="modified by an inplace operation") if raises else nullcontext():
        _result(text)
    assert [each.code for each in lint_source(text)] == (["IPL203"] if raises else [])
