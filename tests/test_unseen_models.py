"""Models of which the program shows nothing: PyTorch raises where the warning says so, and not after the cure."""

import pytest
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
