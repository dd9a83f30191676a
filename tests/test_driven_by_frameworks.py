"""Frameworks whose objects keep what they are given, or call it: what is found, and what really happens.

Where a library is installed, it runs each program, as written and cured: they must differ where something is found.
"""

from __future__ import annotations

import pytest
from called_back import Program, fits

pytest.importorskip("torch")

MMENGINE = """import torch
from mmengine.hooks import Hook
from mmengine.model import BaseModel
from mmengine.optim import OptimWrapper
from torch import nn

class Regressor(BaseModel):
    def __init__(self):
        super().__init__()
        self.fit = nn.Linear(3, 1)

    def forward(self, inputs, target=None, mode="tensor"):
        self.out = self.fit(inputs).sigmoid()
        return {"loss": self.out.mean()}

    def parse_losses(self, losses):
        LINE
        return super().parse_losses(losses)

def result():
    torch.manual_seed(0)
    model = Regressor()
    wrapper = OptimWrapper(torch.optim.SGD(model.parameters(), lr=0.1))
    model.train_step({"inputs": torch.ones(2, 3)}, wrapper)
    return model.fit.weight.detach()
"""
DRIFT = """import torch
from mmengine.hooks import Hook

class Drift(Hook):
    def before_train_epoch(self, runner):
        LINE

    def after_train_epoch(self, runner):
        self.drift = sum(float((v - self.start[k]).norm()) for k, v in runner.model.state_dict().items())
"""
EXTRACTOR = """import gymnasium
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

class Scaled(BaseFeaturesExtractor):
    def __init__(self, observation_space, features_dim=8):
        super().__init__(observation_space, features_dim)
        self.net = nn.Linear(observation_space.shape[0], features_dim)

    def forward(self, observations):
        LINE
        return self.net(observations)

def result():
    options = {"features_extractor_class": Scaled}
    model = PPO("MlpPolicy", gymnasium.make("CartPole-v1"), policy_kwargs=options, n_steps=8, batch_size=8, seed=0)
    return torch.tensor(model.learn(8).rollout_buffer.observations)
"""
BEST = """import gymnasium
import torch
from stable_baselines3 import A2C
from stable_baselines3.common.callbacks import BaseCallback

class First(BaseCallback):
    weights = None

    def _on_step(self):
        return True

    def _on_rollout_end(self):
        if self.weights is None:
            LINE

    def _on_training_end(self):
        self.model.policy.load_state_dict(self.weights)

def result():
    model = A2C("MlpPolicy", gymnasium.make("CartPole-v1"), n_steps=4, seed=0, device="cpu")
    model.learn(16, callback=First())
    return torch.cat([p.detach().flatten() for p in model.policy.parameters()])
"""
CALLBACK = """import pytorch_lightning
import torch
from torch import nn

class Saturation(pytorch_lightning.Callback):
    def on_before_backward(self, trainer, pl_module, loss):
        gate = pl_module.gate
        LINE
        self.share = (gate > 0.4).float().mean()

class Gated(pytorch_lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 4)

    def training_step(self, batch, batch_idx):
        self.gate = torch.sigmoid(self.first(batch[0]))
        return self.gate.mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

def result():
    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(4, 4)))
    trainer = pytorch_lightning.Trainer(
        max_epochs=1, accelerator="cpu", callbacks=[Saturation()], logger=False, enable_checkpointing=False
    )
    torch.manual_seed(0)
    model = Gated()
    trainer.fit(model, data)
    return model.first.weight.detach()

if __name__ == "__main__":
    result()
"""
VALIDATED = """import pytorch_lightning
import torch
from torch import nn

class Centred(pytorch_lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        self.mean = None

    def forward(self, x):
        if self.mean is None:
            self.mean = torch.zeros_like(x[0])
        if self.training:
            self.mean.mul_(0.9)
        return self.layer(x - self.mean).mean()

    def training_step(self, batch, batch_idx):
        return self(batch[0])

    def validation_step(self, batch, batch_idx):
        self(batch[0])

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

def result():
    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(4, 4)))
    plain = dict(max_epochs=1, accelerator="cpu", logger=False, enable_checkpointing=False)
    LINE
    torch.manual_seed(0)
    model = Centred()
    trainer.validate(model, data, verbose=False)
    trainer.fit(model, data)
    return model.layer.weight.detach()

if __name__ == "__main__":
    result()
"""
CLONED = """import torch
from tensordict import TensorDict

def result():
    data = TensorDict({"x": torch.ones(3), "y": {"z": torch.ones(3)}}, batch_size=[3])
    LINE
    noisy["x"].add_(1)
    return noisy["x"] - data["x"]

if __name__ == "__main__":
    result()
"""
SET = """import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torch import nn

def result():
    torch.manual_seed(0)
    net = nn.Linear(3, 2)
    actor = TensorDictModule(nn.Sequential(net, nn.Tanh()), in_keys=["x"], out_keys=[("action", "raw")])
    data = actor(TensorDict({"x": torch.ones(4, 3)}, batch_size=[4]))
    LINE
    data["action", "raw"].sum().backward()
    return net.weight.grad

if __name__ == "__main__":
    result()
"""
ADVANTAGE = """import torch
from tianshou.data import Batch

def result():
    batch = Batch(adv=torch.arange(3.0), obs=torch.ones(3))
    advantage = batch.adv
    LINE
    return advantage.sum() + batch.adv.sum()

if __name__ == "__main__":
    result()
"""
PARAMETER = """import pyro
import pyro.distributions as dist
import torch
from pyro.infer import SVI, Trace_ELBO

def model():
    pyro.sample("z", dist.Normal(0.0, 1.0))

def guide():
    loc = pyro.param("loc", torch.tensor(2.0))
    pyro.sample("z", dist.Normal(loc, 0.1))

def result():
    pyro.clear_param_store()
    pyro.set_rng_seed(0)
    svi = SVI(model, guide, pyro.optim.SGD({"lr": 0.1}), Trace_ELBO())
    pyro.param("loc", torch.tensor(2.0))
    LINE
    svi.step()
    return pyro.param("loc").detach() - before

if __name__ == "__main__":
    result()
"""
SAMPLE = """import pyro
import pyro.distributions as dist
import torch
from pyro.infer import SVI, Trace_ELBO

def model():
    pyro.sample("z", dist.LogNormal(torch.zeros(3), 1.0).to_event(1))

def guide():
    loc = pyro.param("loc", torch.zeros(3))
    z = pyro.sample("z", dist.LogNormal(loc, 1.0).to_event(1))
    LINE

def result():
    pyro.clear_param_store()
    pyro.set_rng_seed(0)
    SVI(model, guide, pyro.optim.SGD({"lr": 0.1}), Trace_ELBO()).step()
    return pyro.param("loc").detach()

if __name__ == "__main__":
    result()
"""
LOSS = """import torch
from poutyne import Model
from torch import nn

def loss(prediction, target):
    LINE
    return (prediction - target).abs().mean()

def result():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 1), nn.Sigmoid())
    Model(net, torch.optim.SGD(net.parameters(), lr=0.1), loss).train_on_batch(torch.ones(2, 4), torch.ones(2, 1))
    return net[0].weight.detach()

if __name__ == "__main__":
    result()
"""
DIFFUSION = """import torch
import torchsde

class Process(torch.nn.Module):
    noise_type = "diagonal"
    sde_type = "ito"

    def f(self, t, y):
        return -y

    def g(self, t, y):
        LINE
        return y * 0.1

def result():
    torch.manual_seed(0)
    motion = torchsde.BrownianInterval(0.0, 1.0, (4, 1), entropy=3)
    return torchsde.sdeint(Process(), -torch.ones(4, 1), torch.linspace(0, 1, 3), dt=0.1, method="euler", bm=motion)

if __name__ == "__main__":
    result()
"""
ABLATION = """import torch
from captum.attr import FeatureAblation

def score(x):
    LINE
    return x.sum(1)

def result():
    x = torch.ones(2, 3)
    return FeatureAblation(score).attribute(x) * x

if __name__ == "__main__":
    result()
"""
BETWEEN = """import torch
from captum.attr import LayerIntegratedGradients
from torch import nn

def result():
    torch.manual_seed(0)
    layers = [nn.Linear(3, 4)]
    layers.append(LINE)
    net = nn.Sequential(*layers, nn.Linear(4, 2))
    return LayerIntegratedGradients(net, net[0]).attribute(torch.ones(2, 3), target=0, n_steps=4)

if __name__ == "__main__":
    result()
"""

SHOWN = """import torch
from captum.attr import FeatureAblation

class Net(torch.nn.Module):
    def forward(self, x):
        LINE
        return (x * x).sum(1)

def result():
    images = torch.arange(6.0).view(2, 3)
    net = Net()
    return FeatureAblation(net).attribute(images)

if __name__ == "__main__":
    result()
"""


PROGRAMS: dict[str, Program] = {
    "mmengine: a loss": Program(
        "mmengine", MMENGINE, "self.out.add_(1)", "self.out + 1", (("IPL202", "self.out.add_"),)
    ),
    "stable-baselines3: observations": Program(
        "stable_baselines3", EXTRACTOR, "observations /= 10", "observations = observations / 10", (("IPL305", "/="),)
    ),
    "stable-baselines3: weights": Program(
        "stable_baselines3",
        BEST,
        "self.weights = self.model.policy.state_dict()",
        "self.weights = {k: v.clone() for k, v in self.model.policy.state_dict().items()}",
        (("IPL304", "state_dict()"), ("IPL304", "model.learn")),
    ),
    "lightning: made while it validates": Program(
        "pytorch_lightning",
        VALIDATED,
        "trainer = pytorch_lightning.Trainer(**plain)",
        "trainer = pytorch_lightning.Trainer(inference_mode=False, **plain)",
        (("IPL106", "self.mean.mul_"),),
    ),
    "lightning: a callback": Program(
        "pytorch_lightning", CALLBACK, "gate.sub_(0.5)", "gate = gate - 0.5", (("IPL202", "gate.sub_"),)
    ),
    "tensordict: a copy": Program(
        "tensordict", CLONED, "noisy = data.clone(recurse=False)", "noisy = data.clone()", (("IPL304", "add_"),)
    ),
    "tensordict: a selection": Program(
        "tensordict", CLONED, 'noisy = data.select("x")', 'noisy = data.select("x").clone()', (("IPL304", "add_"),)
    ),
    "tensordict: what a module gave": Program(
        "tensordict",
        SET,
        'data["action", "raw"].mul_(2)',
        'data["action", "raw"] = data["action", "raw"] * 2',
        (("IPL202", "mul_"),),
    ),
    "tensordict: set in place": Program(
        "tensordict",
        SET,
        'data.set_(("action", "raw"), torch.ones(4, 2))',
        'data.set(("action", "raw"), data["action", "raw"] * 1)',
        (("IPL202", "set_"),),
    ),
    "tianshou: a batch": Program(
        "tianshou.data",
        ADVANTAGE,
        "advantage -= advantage.mean()",
        "advantage = advantage - advantage.mean()",
        (("IPL304", "-="),),
    ),
    "pyro: a parameter": Program(
        "pyro",
        PARAMETER,
        'before = pyro.param("loc").detach()',
        'before = pyro.param("loc").detach().clone()',
        (("IPL304", "svi.step()"),),
    ),
    "pyro: a sample": Program("pyro", SAMPLE, "z.sub_(0.1)", "z - 0.1", (("IPL202", "z.sub_"),)),
    "poutyne: a loss": Program(
        "poutyne", LOSS, "prediction.clamp_(0.1)", "prediction = prediction.clamp(0.1)", (("IPL202", "clamp_"),)
    ),
    "torchsde: the state": Program(
        "torchsde", DIFFUSION, "y.clamp_(min=0.1)", "y = y.clamp(min=0.1)", (("IPL305", "clamp_"),)
    ),
    "captum: the inputs": Program("captum.attr", ABLATION, "x -= 3", "x = x - 3", (("IPL303", "-="),)),
    "captum: the inputs are read again": Program("captum.attr", SHOWN, "x.sub_(3)", "x = x - 3", (("IPL303", "sub_"),)),
    "captum: between layers": Program(
        "captum.attr", BETWEEN, "nn.ReLU(inplace=True)", "nn.ReLU()", (("IPL101", "nn.ReLU"),)
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_a_framework_calls_is_told_of(name: str) -> None:
    assert PROGRAMS[name].is_told()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_framework_shows_what_is_told(name: str) -> None:
    pytest.importorskip(PROGRAMS[name].needs)
    assert PROGRAMS[name].goes_wrong() == bool(PROGRAMS[name].expected)


def test_what_a_class_keeps_while_its_framework_steps_is_told_where_it_reads_it() -> None:
    kept = DRIFT.replace("LINE", "self.start = runner.model.state_dict()")
    assert fits(kept, [("IPL304", "self.drift = ")])
    listed = DRIFT.replace("LINE", "self.start = {k: v.detach() for k, v in runner.model.named_parameters()}")
    assert fits(listed, [("IPL304", "self.drift = ")])
    assert fits(listed.replace("detach()", "detach().clone()"), [])


OPTIMIZER = """import torch
from {package} import Given
from torch import nn

def train():
    net = nn.Linear(3, 3)
    given = Given(net.parameters(){options})
    first, second = net(torch.rand(2, 3)).exp(), net(torch.rand(2, 3, requires_grad=True)).exp()
    first.sum().backward()
    given.step()
    second.sum().backward()

if __name__ == "__main__":
    train()
"""


@pytest.mark.parametrize(
    ("package", "options", "is_optimizer"),
    [("lion", ", lr=1e-3", True), ("more.optim", "", True), ("averages", ", decay=0.9", False)],
)
def test_what_takes_parameters_and_a_rate_is_an_optimizer(package: str, options: str, is_optimizer: bool) -> None:
    expected = [("IPL203", "given.step()")] if is_optimizer else []
    assert fits(OPTIMIZER.format(package=package, options=options), expected)
