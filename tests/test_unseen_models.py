"""Models of which the program shows nothing: PyTorch raises where the warning says so, and not after the cure."""

from typing import Any

import pytest
import torch
from linted import linted
from torch_oracle import Finished, Raised, observe

MADE = """
import torch

SHAPE = "torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh(), torch.nn.Linear(2, 1))"
model = eval(SHAPE)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
"""
TWO_LOSSES = """
first, second = model(torch.ones(3, 2)).mean(), model(torch.rand(3, 2)).mean()
first.backward()
optimizer.step()
second.backward()
"""
TWO_LOSSES_CURED = """
first, second = model(torch.ones(3, 2)).mean(), model(torch.rand(3, 2)).mean()
first.backward()
second.backward()
optimizer.step()
"""
STATE = """
state = None
for x in torch.ones(3, 1, 2):
    state = model(x if state is None else x * state)
    state.sum().backward(retain_graph=True)
    optimizer.step()
"""
STATE_CURED = """
state = None
for x in torch.ones(3, 1, 2):
    if state is not None:
        state = state.detach()
    state = model(x if state is None else x * state)
    state.sum().backward(retain_graph=True)
    optimizer.step()
"""


@pytest.mark.parametrize("program", [TWO_LOSSES, STATE], ids=["two-losses", "state"])
def test_a_step_between_forward_and_backward_raises(program: str) -> None:
    outcome = observe(lambda: exec(MADE + program, {}), "program.py")
    assert isinstance(outcome, Raised)
    assert outcome.kind == "backward"
    assert [each.code for each in linted((MADE + program).encode(), "program.py")] == ["IPL203"]


@pytest.mark.parametrize("program", [TWO_LOSSES_CURED, STATE_CURED], ids=["two-losses", "state"])
def test_the_cure_is_silent(program: str) -> None:
    assert isinstance(observe(lambda: exec(MADE + program, {}), "program.py"), Finished)
    assert linted((MADE + program).encode(), "program.py") == ()


AVERAGE = """
import torch


class Average:
    def __init__(self, model):
        KEPT

    @torch.no_grad()
    def update(self, model):
        for kept, p in zip(VALUES, model.parameters()):
            kept.mul_(0.5).add_(p.detach(), alpha=0.5)
"""
SHARED = {
    "state": ("self.kept = {k: v for k, v in model.state_dict().items()}", "self.kept.values()"),
    "data": ("self.kept = [p.data for p in model.parameters()]", "self.kept"),
}
APART = {
    "clones": ("self.kept = [p.detach().clone() for p in model.parameters()]", "self.kept"),
    "another-model": ("self.kept = model", "self.kept.parameters()"),
    "parameters-of-another": ("self.kept = list(model.parameters())", "self.kept"),
}


@pytest.mark.parametrize(("kept", "values"), SHARED.values(), ids=list(SHARED))
def test_an_average_on_the_memory_of_its_model(kept: str, values: str) -> None:
    program = AVERAGE.replace("KEPT", kept).replace("VALUES", values)
    assert _lags_behind(program, again=True) is False
    assert [each.code for each in linted(program.encode(), "program.py")] == ["IPL303"]


@pytest.mark.parametrize(("kept", "values"), APART.values(), ids=list(APART))
def test_an_average_of_another_model(kept: str, values: str) -> None:
    program = AVERAGE.replace("KEPT", kept).replace("VALUES", values)
    assert _lags_behind(program, again="clone" in kept) is True
    assert linted(program.encode(), "program.py") == ()


def _lags_behind(program: str, again: bool) -> bool:
    """Whether the average differs from the model after that was changed; it was made of this model, or of another."""
    names: dict[str, Any] = {}
    exec(program, names)
    model, other = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
    average = names["Average"](model if again else other)
    with torch.no_grad():
        model.weight.add_(1)
    average.update(model)
    kept = average.kept
    values = kept.parameters() if isinstance(kept, torch.nn.Module) else getattr(kept, "values", lambda: kept)()
    return not torch.equal(next(iter(values)), model.weight)


BEST = """
import copy
import torch


def trained(net, optimizer, batches):
    best, state = float("inf"), None
    for x, y in batches:
        loss = (net(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        if loss.item() < best:
            best, state = loss.item(), STATE
        optimizer.step()
    net.load_state_dict(state)
    return net
"""


@pytest.mark.parametrize(
    ("state", "codes"), [("net.state_dict()", ["IPL304"]), ("copy.deepcopy(net.state_dict())", [])]
)
def test_an_optimizer_that_nobody_shows_steps_the_model(state: str, codes: list[str]) -> None:
    program = BEST.replace("STATE", state)
    names: dict[str, Any] = {}
    exec(program, names)
    net = torch.nn.Linear(2, 1)
    start = net.weight.detach().clone()
    names["trained"](net, torch.optim.SGD(net.parameters(), lr=1.0), [(torch.ones(1, 2), torch.zeros(1, 1) + 9)])
    assert torch.equal(start, net.weight) is not bool(codes)
    assert [each.code for each in linted(program.encode(), "program.py")] == codes


def test_an_optimizer_among_several_models_is_nobodys() -> None:
    program = BEST.replace("STATE", "net.state_dict()").replace("net(x)", "net(x) + target_net(x)")
    program = program.replace("(net, optimizer", "(net, target_net, optimizer")
    program = program.replace(
        "    best, state = float", "    target_net.load_state_dict(net.state_dict())\n    best, state = float"
    )
    program = program.replace("return net", "return net, target_net.state_dict()")
    assert linted(program.encode(), "program.py") == ()


OWNERS = """
import torch


class Pair:
    def __init__(self, online, target):
        self.online, self.target = online, target

    def weights(self, owner):
        return {name: value.reshape(-1) for name, value in owner.model.state_dict().items()}

    def step(self, x):
        before = self.weights(self.STEPPED)
        self.target.model.load_state_dict(self.online.model.state_dict())
        self.target.loss(self.target.model(x)).backward()
        self.target.optimizer.step()
        after = self.weights(self.target)
        return {name: after[name] - before[name] for name in after}
"""
OBJECTS = """
import torch


class Owner:
    def __init__(self):
        self.model = torch.nn.Linear(2, 1)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.loss = torch.sum


torch.manual_seed(0)
moved = [float(each.abs().max()) for each in Pair(Owner(), Owner()).step(torch.ones(3, 2)).values()]
"""


@pytest.mark.parametrize(("stepped", "codes"), [("online", []), ("target", ["IPL304"])])
def test_an_optimizer_steps_the_model_that_its_owner_has(stepped: str, codes: list[str]) -> None:
    program = OWNERS.replace("STEPPED", stepped)
    assert [each.code for each in linted(program.encode(), "program.py")] == codes
    names: dict[str, Any] = {}
    exec(program + OBJECTS, names)
    assert any(names["moved"]) is not bool(codes)
