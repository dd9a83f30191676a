"""Libraries that wrap what users give them, or call it: who runs backward, who steps, who watches, who keeps.

Where a library is installed, it runs the programs, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from called_back import fits, made, raises

torch = pytest.importorskip("torch")


@dataclass(frozen=True)
class Program:
    """A program with the library that it needs, and its findings."""

    needs: str
    text: str
    expected: tuple[tuple[str, str], ...] = ()


OPACUS = """import torch
from opacus import PrivacyEngine
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.b = nn.Linear(4, 1)

    def forward(self, x):
        h = self.a(x)
        {forward}
        return self.b(torch.relu(h))

def train():
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    data = torch.utils.data.TensorDataset(torch.rand(8, 4))
    loader = torch.utils.data.DataLoader(data, 4)
    engine = PrivacyEngine()
    net, optimizer, loader = engine.make_private(
        module=net, optimizer=optimizer, data_loader=loader, noise_multiplier=1.0, max_grad_norm=1.0
    )
    for (x,) in loader:
        y = net(torch.rand(4, 4))
        optimizer.zero_grad()
        {body}
        optimizer.step()

if __name__ == "__main__":
    train()
"""


def opacus(body: str, *expected: tuple[str, str], forward: str = "pass") -> Program:
    return Program("opacus", OPACUS.format(body=body, forward=forward), expected)


FABRIC = """import torch
from {package} import Fabric
from torch import nn

def train():
    fabric = Fabric(accelerator="cpu", devices=1)
    net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    {setup}
    y = net(torch.rand(2, 4)).exp()
    {body}

if __name__ == "__main__":
    train()
"""


def fabric(
    body: str,
    *expected: tuple[str, str],
    package: str = "lightning",
    setup: str = "net, optimizer = fabric.setup(net, optimizer)",
) -> Program:
    return Program(package, FABRIC.format(body=body, package=package, setup=setup), expected)


TWICE = "loss = y.mean(); fabric.backward(loss, retain_graph=True); optimizer.step(); fabric.backward(loss)"

DEEPSPEED = """import deepspeed
import torch
from torch import nn

def train():
    net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    engine, optimizer, _, _ = deepspeed.initialize(model=net, optimizer=optimizer, config={{"train_batch_size": 2}})
    y = engine(torch.rand(2, 4)).exp()
    {body}
    engine.backward(y.sum())
    engine.step()

if __name__ == "__main__":
    train()
"""

SKORCH = """import numpy as np
import torch
from skorch import NeuralNet, NeuralNetRegressor
from skorch.callbacks import Callback
from torch import nn

class Net(nn.Module):
    def __init__(self, size=1):
        super().__init__()
        self.lin = nn.Linear(4, size)

    def forward(self, x):
        return self.lin(x).exp()

{classes}

def train():
    net = {net}
    net.fit(np.random.rand(8, 4).astype("float32"), np.random.rand(8, 1).astype("float32"))

if __name__ == "__main__":
    train()
"""
REST = "max_epochs=1, train_split=None, verbose=0"


def skorch(classes: str, *expected: tuple[str, str], net: str) -> Program:
    return Program("skorch", SKORCH.format(classes=classes, net=net.format(rest=REST)), expected)


LOSS = """class Scaled(NeuralNetRegressor):
    def get_loss(self, y_pred, y_true, X=None, training=False):
        y_pred.add_(1)
        return super().get_loss(y_pred, y_true, X=X, training=training)"""
KEPT = """class Scaled(NeuralNet):
    def initialize_module(self):
        super().initialize_module()
        self.mean = torch.ones(1)
        return self

    def infer(self, x, **params):
        return super().infer(x, **params) * self.mean

    def {hook}
        self.mean.mul_(0.9)"""
CLIP = """class Clip(Callback):
    def {hook}(self, net, batch=None, training=False, **kwargs):
        {body}"""

FASTAI = """import torch
from fastai.callback.core import Callback
from fastai.data.core import DataLoaders
from fastai.learner import Learner
from torch import nn

class Change(Callback):
    def {event}(self):
        {body}

def train():
    data = [(torch.rand(4), torch.rand(1)) for _ in range(8)]
    dls = DataLoaders(torch.utils.data.DataLoader(data, 4), torch.utils.data.DataLoader(data, 4))
    learn = Learner(dls, nn.Linear(4, 1), loss_func=nn.MSELoss(), cbs=[Change()])
    learn.fit(1)

if __name__ == "__main__":
    train()
"""


def fastai(event: str, body: str, *expected: tuple[str, str]) -> Program:
    return Program("fastai.learner", FASTAI.format(event=event, body=body), expected)


STARRED = """from fastai.basics import *

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 1)

    def forward(self, x):
        h = self.lin(x).sigmoid()
        h += 1
        return h

def train():
    Net()(torch.rand(2, 4)).sum().backward()

if __name__ == "__main__":
    train()
"""

BARE = STARRED.replace("nn.Module", "Module").replace("        super().__init__()\n", "")

SOLVED = """import torch
from torch import nn
from torchdiffeq import odeint, odeint_adjoint

class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(2, 2)
        self.scale = torch.ones(2)

    def forward(self, t, y):
        {field}
        return self.net(y) * self.scale

def train():
    field, y0 = Field(), torch.randn(3, 2)
    y = {call}
    {body}
    y.sum().backward()

if __name__ == "__main__":
    train()
"""
PLAIN = 'odeint(field, y0, torch.linspace(0.0, 1.0, 5), method="rk4")'
ADJOINT = "odeint_adjoint(field, y0, torch.linspace(0.0, 1.0, 5))"


def solved(*expected: tuple[str, str], field: str = "pass", call: str = PLAIN, body: str = "pass") -> Program:
    return Program("torchdiffeq", SOLVED.format(field=field, call=call, body=body), expected)


STEP = "y.sum().backward(retain_graph=True); torch.optim.SGD(field.parameters(), 0.1).step()"

PROGRAMS: dict[str, Program] = {
    "opacus: a layer's output": opacus("y.sum().backward()", ("IPL107", "h += 1"), forward="h += 1"),
    "opacus: the output": opacus("y.mul_(2); y.sum().backward()", ("IPL107", "y.mul_")),
    "opacus: a copy": opacus("z = y * 2; z.mul_(2); z.sum().backward()"),
    "opacus: stepped": opacus(
        "loss = y.sum(); loss.backward(retain_graph=True); optimizer.step(); optimizer.zero_grad(); loss.backward()",
        ("IPL203", "optimizer.step"),
    ),
    "fabric: backward": fabric("y += 1; fabric.backward(y.sum())", ("IPL202", "y += 1")),
    "fabric: right": fabric("y = y + 1; fabric.backward(y.sum()); optimizer.step()"),
    "fabric: stepped": fabric(TWICE, ("IPL203", "optimizer.step")),
    "fabric: its module": fabric(TWICE, ("IPL203", "optimizer.step"), package="lightning.fabric"),
    "fabric: alone": fabric(TWICE, ("IPL203", "optimizer.step"), package="lightning_fabric"),
    "fabric: set up one by one": fabric(
        TWICE,
        ("IPL203", "optimizer.step"),
        setup="net = fabric.setup_module(net); optimizer = fabric.setup_optimizers(optimizer)",
    ),
    "deepspeed: backward": Program("deepspeed", DEEPSPEED.format(body="y += 1"), (("IPL202", "y += 1"),)),
    "deepspeed: right": Program("deepspeed", DEEPSPEED.format(body="y = y + 1")),
    "skorch: a loss": skorch(LOSS, ("IPL202", "y_pred.add_"), net="Scaled(Net, {rest})"),
    "skorch: an object": skorch(LOSS, ("IPL202", "y_pred.add_"), net="Scaled(Net(1), {rest})"),
    "skorch: options": skorch(LOSS, ("IPL202", "y_pred.add_"), net="Scaled(Net, module__size=1, {rest})"),
    "skorch: a loss cured": skorch(LOSS.replace("y_pred.add_(1)", "y_pred = y_pred + 1"), net="Scaled(Net, {rest})"),
    "skorch: kept state": skorch(
        KEPT.format(hook="get_loss(self, y_pred, y_true, X=None, training=False):\n        loss = y_pred.mean()")
        + "\n        return loss",
        ("IPL201", "self.mean.mul_"),
        net="Scaled(nn.Linear(4, 1), nn.MSELoss, {rest})",
    ),
    "skorch: after the step": skorch(
        KEPT.format(hook="on_batch_end(self, net, batch=None, training=False, **kwargs):"),
        net="Scaled(nn.Linear(4, 1), nn.MSELoss, {rest})",
    ),
    "skorch: a callback": skorch(
        CLIP.format(hook="on_batch_begin", body="net.module_.weight.clamp_(-1, 1)"),
        ("IPL101", "clamp_"),
        net="NeuralNet(nn.Linear(4, 1), nn.MSELoss, callbacks=[Clip()], {rest})",
    ),
    "skorch: a callback by its name": skorch(
        CLIP.format(hook="on_batch_begin", body="net.module_.weight.clamp_(-1, 1)"),
        ("IPL101", "clamp_"),
        net='NeuralNet(nn.Linear(4, 1), nn.MSELoss, callbacks=[("clip", Clip)], {rest})',
    ),
    "skorch: a callback cured": skorch(
        CLIP.format(hook="on_batch_begin", body="net.module_.weight.data.clamp_(-1, 1)"),
        net="NeuralNet(nn.Linear(4, 1), nn.MSELoss, callbacks=[Clip()], {rest})",
    ),
    "fastai: saved": fastai("before_backward", "self.learn.pred.add_(1)", ("IPL201", "pred.add_")),
    "fastai: saved, by a shorter name": fastai("before_backward", "self.pred.add_(1)", ("IPL201", "pred.add_")),
    "fastai: before the loss": fastai("after_pred", "self.learn.pred.add_(1)"),
    "fastai: after backward": fastai("after_backward", "self.learn.pred.detach().add_(1)"),
    "fastai: assigned": fastai("after_pred", "self.learn.pred = self.pred * 2"),
    "fastai: a leaf": fastai("before_batch", "self.model.weight.clamp_(-1, 1)", ("IPL101", "clamp_")),
    "fastai: the loss": fastai("before_backward", "self.learn.loss_grad *= 0.5"),
    "fastai: a star": Program("fastai.learner", STARRED, (("IPL202", "h += 1"),)),
    "fastai: a module of its own": Program("fastai.learner", BARE, (("IPL202", "h += 1"),)),
    "torchdiffeq: right": solved(),
    "torchdiffeq: kept state": solved(("IPL201", "self.scale.mul_"), field="self.scale.mul_(0.9)"),
    "torchdiffeq: what it began with": solved(("IPL201", "y0.zero_"), body="y0.zero_()"),
    "torchdiffeq: the solution": solved(body="y.mul_(2)"),
    "torchdiffeq: stepped": solved(("IPL203", "step"), body=STEP),
    "torchdiffeq: adjoint": solved(call=ADJOINT),
    "torchdiffeq: adjoint, kept state": solved(field="self.scale.mul_(0.9)", call=ADJOINT),
    "torchdiffeq: adjoint, the solution": solved(("IPL202", "y.add_"), call=ADJOINT, body="y.add_(1)"),
    "torchdiffeq: adjoint, stepped": solved(("IPL203", "step"), call=ADJOINT, body=STEP),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_a_library_calls_or_wraps_is_told_of(name: str) -> None:
    assert fits(PROGRAMS[name].text, list(PROGRAMS[name].expected))


@pytest.fixture
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """One process, for those that ask."""
    place = {"RANK": "0", "WORLD_SIZE": "1", "LOCAL_RANK": "0", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29511"}
    for name, value in {**place, "DS_ACCELERATOR": "cpu"}.items():
        monkeypatch.setenv(name, value)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("_alone")
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_library_raises_where_it_is_told_of(name: str) -> None:
    pytest.importorskip(PROGRAMS[name].needs)
    assert raises(made(PROGRAMS[name].text)["train"]) == bool(PROGRAMS[name].expected)


FIELD = """import torch
from torchdiffeq import odeint

OUT = torch.zeros(2)

def given(t, y):
    {body}

def solution():
    return odeint(given, torch.tensor([1.0, 0.0]), torch.linspace(0.0, 1.0, 5), method="{method}")[-1]
"""
BUFFERED = "OUT[0] = y[1]; OUT[1] = -y[0]; return OUT"
WRITTEN = "y.mul_(0.5); return torch.stack([y[1], -y[0]])"
FRESH = {BUFFERED: "return torch.stack([y[1], -y[0]])", WRITTEN: "y = y * 0.5; return torch.stack([y[1], -y[0]])"}
METHODS = ["dopri5", "rk4", "heun3", "euler", "midpoint", "adaptive_heun"]


def _solution(body: str, method: str) -> Callable[[], Any]:
    run: Callable[[], Any] = made(FIELD.format(body=body, method=method))["solution"]
    return run


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("body", "codes"), [(BUFFERED, ["IPL304", "IPL304"]), (WRITTEN, ["IPL305"])], ids=["given back", "written"]
)
def test_a_solver_keeps_slopes_and_its_state(method: str, body: str, codes: list[str]) -> None:
    wrong = body is WRITTEN or method in ("dopri5", "rk4", "heun3")
    line = f"    {body}"
    assert fits(FIELD.format(body=body, method=method), [(code, line) for code in codes] if wrong else [])
    assert fits(FIELD.format(body=FRESH[body], method=method), [])
    pytest.importorskip("torchdiffeq")
    assert torch.equal(_solution(body, method)(), _solution(FRESH[body], method)()) != wrong
