"""Frameworks call the classes that users derive: in which order, and where gradients are recorded.

Where a framework is installed, it runs the programs, too.
"""

from __future__ import annotations

import warnings

import pytest
from called_back import fits, made, raises

torch = pytest.importorskip("torch")

LIGHTNING = """import torch
from pytorch_lightning import LightningModule
from torch import nn
from torch.nn.functional import mse_loss


class Net(LightningModule):
    {manual}
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.b = nn.Linear(4, 4)
        self.register_buffer("mean", torch.ones(4))

    def configure_optimizers(self):
        {optimizers}

    def training_step(self, batch, batch_idx):
        {step}
        return loss

    {other}
"""
AUTOMATIC: dict[str, tuple[str, str, list[tuple[str, str]]]] = {
    "right": ("h = self.a(batch[0]); loss = mse_loss(h, batch[1])", "", []),
    "saved": ("h = self.a(batch[0]).exp(); h += 1; loss = h.mean()", "", [("IPL202", "h += 1")]),
    "after the step": (
        "loss = (self.a(batch[0]) * self.mean).mean()",
        "def on_before_backward(self, loss): self.mean.mul_(0.9)",
        [("IPL201", "self.mean.mul_")],
    ),
    "after backward": (
        "loss = (self.a(batch[0]) * self.mean).mean()",
        "def on_after_backward(self): self.mean.mul_(0.9)",
        [],
    ),
    "leaf": (
        "loss = self.a(batch[0]).mean()",
        "def on_train_batch_start(self, batch, batch_idx): self.a.weight.clamp_(-1, 1)",
        [("IPL101", "clamp_")],
    ),
    "leaf in a validation": (
        "loss = self.a(batch[0]).mean()",
        "def on_validation_epoch_start(self): self.a.weight.clamp_(-1, 1)",
        [],
    ),
    "validation": (
        "loss = self.a(batch[0]).mean()",
        "def validation_step(self, batch, batch_idx): p = self.a(batch[0]).exp(); p += 1; return p.sum()",
        [],
    ),
    "kept": (
        "loss = self.a(batch[0]).mean(); self.seen.append(self.mean.add_(1))",
        "seen = []\n    def on_train_epoch_end(self): torch.stack(self.seen)",
        [("IPL304", "self.mean.add_")],
    ),
}
SCORES = "opt_a, opt_b = self.optimizers(); h = self.a(batch[0]); loss = self.b(h).mean(); first = {first}; "
MANUAL: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "stepped before its graph is used": (
        SCORES.format(first="loss ** 2")
        + "self.manual_backward(first, retain_graph=True); opt_b.step(); self.manual_backward(loss); opt_a.step()",
        [("IPL203", "opt_b.step")],
    ),
    "stepped after": (
        SCORES.format(first="loss ** 2")
        + "self.manual_backward(first, retain_graph=True); self.manual_backward(loss); opt_b.step(); opt_a.step()",
        [],
    ),
    "a graph of its own": (
        SCORES.format(first="self.b(h.detach()).sum()")
        + "self.manual_backward(first); opt_b.step(); loss = self.b(h).mean()"
        + "; self.manual_backward(loss); opt_a.step()",
        [],
    ),
}
BOTH = [
    "return torch.optim.SGD(self.a.parameters(), 0.1), torch.optim.SGD(self.b.parameters(), 0.1)",
    "return [torch.optim.SGD(self.a.parameters(), 0.1), torch.optim.SGD(self.b.parameters(), 0.1)], []",
    "return {'optimizer': torch.optim.SGD(self.a.parameters(), 0.1)}, "
    "{'optimizer': torch.optim.SGD(self.b.parameters(), 0.1)}",
]


def _fitted(text: str) -> None:
    lightning = pytest.importorskip("pytorch_lightning")
    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.rand(4, 4), torch.rand(4, 4)), 2)
    quiet = dict.fromkeys(["logger", "enable_checkpointing", "enable_progress_bar", "enable_model_summary"], False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trainer = lightning.Trainer(max_epochs=1, accelerator="cpu", **quiet)
        trainer.fit(made(text)["Net"](), data, data if "validation" in text else None)


def _automatic(name: str) -> str:
    step, other, _ = AUTOMATIC[name]
    optimizers = "return torch.optim.SGD(self.parameters(), 0.1)"
    return LIGHTNING.format(manual="", optimizers=optimizers, step=step, other=other)


def _manual(name: str, optimizers: str) -> str:
    manual = "automatic_optimization = False"
    return LIGHTNING.format(manual=manual, optimizers=optimizers, step=MANUAL[name][0], other="")


@pytest.mark.parametrize("package", ["pytorch_lightning", "lightning", "lightning.pytorch"])
def test_a_module_is_known_under_each_name_of_its_package(package: str) -> None:
    text = _automatic("after the step").replace("pytorch_lightning", package)
    assert fits(text, AUTOMATIC["after the step"][2])


@pytest.mark.parametrize("name", AUTOMATIC)
def test_a_trainer_differentiates_what_a_step_gives(name: str) -> None:
    assert fits(_automatic(name), AUTOMATIC[name][2])


@pytest.mark.parametrize("optimizers", BOTH, ids=["tuple", "two lists", "dictionaries"])
@pytest.mark.parametrize("name", MANUAL)
def test_a_module_may_step_its_optimizers_itself(name: str, optimizers: str) -> None:
    assert fits(_manual(name, optimizers), MANUAL[name][1])


@pytest.mark.parametrize("name", AUTOMATIC)
def test_lightning_raises_where_a_step_is_told_of(name: str) -> None:
    expected = [code for code, _ in AUTOMATIC[name][2] if code != "IPL304"]
    assert raises(lambda: _fitted(_automatic(name))) == bool(expected)


@pytest.mark.parametrize("name", MANUAL)
def test_lightning_raises_where_an_own_step_is_told_of(name: str) -> None:
    assert raises(lambda: _fitted(_manual(name, BOTH[0]))) == bool(MANUAL[name][1])


ACCELERATED = """import torch
from accelerate import Accelerator
from torch import nn

def train():
    accelerator = Accelerator(cpu=True)
    a, b = nn.Linear(4, 4), nn.Linear(4, 1)
    optimizer = torch.optim.SGD(b.parameters(), 0.1)
    a, b, optimizer = accelerator.prepare(a, b, optimizer)
    loss = b(a(torch.rand(2, 4))).mean()
    {body}

if __name__ == "__main__":
    train()
"""
WRAPPED = """import torch
from torch import nn

def train():
    net = nn.DataParallel(nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1)))
    y = net(torch.rand(2, 4))
    {body}
    y.sum().backward()

if __name__ == "__main__":
    train()
"""
ENGINE = """import torch
from ignite.engine import Engine, Events
from torch import nn

def train():
    net, scale = nn.Linear(4, 4), torch.ones(4)

    def update(engine, batch):
        loss = (net(batch) * scale).mean()
        {body}
        loss.backward()

    trainer = Engine(update)

    @trainer.on(Events.ITERATION_COMPLETED)
    def after(engine):
        {after}

    trainer.run([torch.rand(2, 4), torch.rand(2, 4)], max_epochs=1)

if __name__ == "__main__":
    train()
"""
GRAPH = """import torch
from torch import nn
from torch_geometric.nn import MessagePassing

class Layer(MessagePassing):
    def __init__(self):
        super().__init__(aggr="add")
        self.lin = nn.Linear(4, 4)

    def forward(self, x, edge_index):
        return self.propagate(edge_index, x=self.lin(x).exp())

    def message(self, x_i, x_j):
        {body}

    def update(self, inputs, x):
        {after}

def train():
    Layer()(torch.rand(3, 4), torch.tensor([[0, 1], [1, 2]])).sum().backward()

if __name__ == "__main__":
    train()
"""
STEPPED = "accelerator.backward(loss, retain_graph=True); {}; accelerator.backward(loss)"
CALLED: dict[str, tuple[str, str, list[tuple[str, str]]]] = {
    "backward by the accelerator": (ACCELERATED, "accelerator.backward(loss); optimizer.step()", []),
    "what is prepared is stepped": (ACCELERATED, STEPPED.format("optimizer.step()"), [("IPL203", "step")]),
    "what is unwrapped is written": (
        ACCELERATED,
        STEPPED.format("accelerator.unwrap_model(b).weight.data.mul_(2)"),
        [("IPL401", "mul_")],
    ),
    "what is wrapped gives": (WRAPPED, "y.mul_(2)", []),
    "what is wrapped is written": (
        WRAPPED,
        "with torch.no_grad(): net.module[1].weight.mul_(2)",
        [("IPL203", "weight.mul_")],
    ),
    "an engine updates": (ENGINE, "scale.mul_(2)", [("IPL201", "scale.mul_")]),
    "a handler writes a leaf": (ENGINE, "scale", [("IPL101", "net.weight.mul_")]),
    "a handler writes between": (ENGINE, "scale", []),
    "a message is a copy": (GRAPH, "return x_j.mul_(2)", []),
    "a message saves": (
        GRAPH,
        "g = x_i.exp(); out = g * x_j; g.mul_(2); return out",
        [("IPL202", "g.mul_")],
    ),
    "an update writes the rows": (GRAPH, "return x_j", [("IPL202", "x.add_")]),
    "an update writes the sum": (GRAPH, "return x_j", []),
}
AFTERWARDS = {
    "a handler writes a leaf": "net.weight.mul_(2)",
    "a handler writes between": "scale.mul_(2)",
    "an update writes the rows": "return x.add_(inputs)",
    "an update writes the sum": "return inputs.add_(x)",
}


def _called(name: str) -> str:
    text, body, _ = CALLED[name]
    return text.format(body=body, after=AFTERWARDS.get(name, "return inputs" if text is GRAPH else "pass"))


@pytest.mark.parametrize("name", CALLED)
def test_what_a_library_calls_is_told_of(name: str) -> None:
    assert fits(_called(name), CALLED[name][2])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLED)
def test_a_library_raises_where_it_is_told_of(name: str) -> None:
    text, _, expected = CALLED[name]
    package = {ACCELERATED: "accelerate", ENGINE: "ignite.engine", GRAPH: "torch_geometric"}.get(text, "torch")
    pytest.importorskip(package)
    train = made(_called(name))["train"]
    assert raises(train) == bool([code for code, _ in expected if code != "IPL401"])


SCORED = """import torch
from transformers import {base}

class Scorer({base}):
    def {name}(self, model, inputs, *args):
        scores = model(**inputs).logits.softmax(-1)
        scores.add_(1)
        return scores
"""


@pytest.mark.parametrize("base", ["Trainer", "Seq2SeqTrainer"])
def test_a_trainer_predicts_without_gradients(base: str) -> None:
    assert fits(SCORED.format(base=base, name="prediction_step"), [])
    assert fits(SCORED.format(base=base, name="compute_loss"), [("IPL202", "scores.add_")])
