"""Programs whose handlers, hooks and samplers change what a framework, or one of its models, keeps.

Where a library is installed, it runs each program, as written and cured: they must differ where something is found.
"""

from __future__ import annotations

import pytest
from called_back import Program

pytest.importorskip("torch")

LOGGED = """import torch
from ignite.engine import Engine, Events
from ignite.metrics import Loss

def result():
    evaluator = Engine(lambda engine, y: (torch.tensor([[0.0, 2.0]]), torch.tensor([y])))

    @evaluator.on(Events.ITERATION_COMPLETED)
    def note(engine):
        logits, _ = engine.state.output
        LINE
        shares.append(probs / probs.sum())

    shares = []
    Loss(torch.nn.CrossEntropyLoss()).attach(evaluator, "loss")
    return torch.tensor(evaluator.run([0, 1]).metrics["loss"])

if __name__ == "__main__":
    result()
"""
ADJUSTED = """import numpy as np
import torch
from skorch import NeuralNetClassifier
from skorch.callbacks import EpochScoring
from skorch.dataset import ValidSplit
from torch import nn

class Adjusted(NeuralNetClassifier):
    def get_loss(self, y_pred, y_true, X=None, training=False):
        LINE
        return super().get_loss(y_pred, y_true, X=X, training=training)

def result():
    torch.manual_seed(0)
    net = Adjusted(
        nn.Linear(2, 2), criterion=nn.CrossEntropyLoss, max_epochs=1, train_split=ValidSplit(2), verbose=0,
        callbacks=[("balanced", EpochScoring("balanced_accuracy", name="balanced", use_caching=True))],
    )
    rows = np.random.default_rng(0).normal(size=(40, 2)).astype("float32")
    net.fit(rows, (rows[:, 0] > 0).astype("int64"))
    return torch.tensor(net.history[:, ("balanced",)])

if __name__ == "__main__":
    result()
"""
STANDARDIZED = """import lightning
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

class Blocks(Dataset):
    def __init__(self):
        self.rows = torch.arange(8.0).view(4, 2)

    def __len__(self):
        return 2

    def __getitem__(self, index):
        return self.rows[2 * index : 2 * index + 2]

class Data(lightning.LightningDataModule):
    def setup(self, stage=None):
        self.blocks = Blocks()

    def train_dataloader(self):
        return DataLoader(self.blocks, batch_size=None)

    def on_after_batch_transfer(self, batch, dataloader_idx):
        LINE
        return batch

class Net(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 1)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.001)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).square().mean()

def result():
    torch.manual_seed(0)
    trainer = lightning.Trainer(
        max_epochs=2, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
        enable_model_summary=False,
    )
    net = Net()
    trainer.fit(net, datamodule=Data())
    return net.layer.weight.detach()

if __name__ == "__main__":
    result()
"""
DAMPED = """import lightning
import torch
from torch import nn
from torch.utils.data import DataLoader

class Net(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 1)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).square().mean()

    def LINE:
        for parameter in self.parameters():
            parameter.grad.mul_(0.5)

def result():
    torch.manual_seed(0)
    trainer = lightning.Trainer(
        max_epochs=1, accumulate_grad_batches=2, accelerator="cpu", logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False,
    )
    net = Net()
    trainer.fit(net, DataLoader(torch.arange(8.0).view(4, 2), batch_size=1))
    return net.layer.weight.detach()

if __name__ == "__main__":
    result()
"""
PREDICTED = """import lightning
import torch
from torch.utils.data import DataLoader

class Net(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.register_buffer("canvas", torch.zeros(2))

    def predict_step(self, batch, batch_idx):
        self.canvas.copy_(batch[0])
        return LINE

def result():
    trainer = lightning.Trainer(
        accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
        enable_model_summary=False,
    )
    given = trainer.predict(Net(), DataLoader(torch.arange(8.0).view(4, 2), batch_size=1))
    return torch.stack(given)

if __name__ == "__main__":
    result()
"""
AHEAD = """import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader

class Collate:
    def __init__(self):
        self.space = torch.zeros(1, 2)

    def __call__(self, rows):
        LINE
        return batch

def result():
    loader = Accelerator(cpu=True).prepare(DataLoader(torch.arange(8.0).view(4, 2), collate_fn=Collate()))
    return torch.stack([batch.sum() for batch in loader])

if __name__ == "__main__":
    result()
"""
PREPROCESSED = """import tempfile
import torch
from torch import nn
from transformers import Trainer, TrainingArguments

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x, labels):
        logits = self.layer(x)
        return {"loss": logits.mean(), "logits": logits}

def confidence(logits, labels):
    LINE
    return logits.softmax(-1).gather(-1, gold.unsqueeze(-1))

def result():
    torch.manual_seed(0)
    seen = []

    def metrics(prediction):
        seen.append(torch.as_tensor(prediction.label_ids))
        return {}

    with tempfile.TemporaryDirectory() as folder:
        trainer = Trainer(
            Net(), TrainingArguments(folder, use_cpu=True, report_to=[], disable_tqdm=True),
            eval_dataset=[{"x": torch.ones(2), "labels": torch.tensor(label)} for label in (1, -100)],
            compute_metrics=metrics, preprocess_logits_for_metrics=confidence,
        )
        trainer.evaluate()
    return seen[0]

if __name__ == "__main__":
    result()
"""
ADAPTED = """import torch
from peft import LoraConfig, get_peft_model, get_peft_model_state_dict, set_peft_model_state_dict
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        return self.layer(x)

def result():
    torch.manual_seed(0)
    model = get_peft_model(Net(), LoraConfig(target_modules=["layer"], r=2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    kept = {}
    for task in range(2):
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()
        LINE
    set_peft_model_state_dict(model, kept[0])
    return model(torch.ones(1, 2)).detach()

if __name__ == "__main__":
    result()
"""
INTERMEDIATE = """import timm
import torch

def result():
    torch.manual_seed(0)
    model = timm.create_model("NAME", pretrained=FalseOPTIONS).eval()
    given = model(torch.rand(1, 3, 64, 64)) if FEATURES else model.forward_intermediates(
        torch.rand(1, 3, 224, 224), intermediates_only=True, output_fmt="FORMAT"
    )
    maps = given[-2]
    LINE
    (maps.sum() + given[-1].sum()).backward()
    return next(model.parameters()).grad

if __name__ == "__main__":
    result()
"""
STACKED = """import torch
from tensordict import TensorDict

def result():
    x = torch.ones(3, requires_grad=True)
    y = x.exp()
    both = torch.stack([TensorDict({"y": y}, batch_size=[3]), TensorDict({"y": y}, batch_size=[3])])
    LINE
    both["y"].sum().backward()
    return x.grad

if __name__ == "__main__":
    result()
"""


SOLVED = """import torch
from diffusers import DDIMScheduler, DDPMScheduler, DPMSolverMultistepScheduler, PNDMScheduler

def result():
    torch.manual_seed(0)
    solver = SOLVER
    solver.set_timesteps(6)
    latents, space = torch.ones(1, 2), torch.empty(1, 2)
    for t in solver.timesteps:
        LINE
        latents = solver.step(given, t, latents).prev_sample
    return latents

if __name__ == "__main__":
    result()
"""


def solved(solver: str, *expected: tuple[str, str]) -> Program:
    """What a model gave is overwritten before the next step of a solver."""
    text = SOLVED.replace("SOLVER", solver)
    return Program(
        "diffusers", text, "given = torch.mul(latents, 0.5, out=space)", "given = torch.mul(latents, 0.5)", expected
    )


def stepped(solver: str, *expected: tuple[str, str]) -> Program:
    """What a solver was given is overwritten by what it makes of it."""
    given, step = "given = latents * 0.5", "solver.step(given, t, latents).prev_sample"
    text = SOLVED.replace("DDIMScheduler, DDPMScheduler, DPMSolverMultistepScheduler, PNDMScheduler", solver)
    text = text.replace("LINE", given).replace(f"latents = {step}", "LINE").replace("SOLVER", f"{solver}()")
    return Program("diffusers", text, f"latents.copy_({step})", f"latents = {step}", expected)


def intermediate(name: str, layout: str, *expected: tuple[str, str], features: bool = False) -> Program:
    """What a stage of a network gave is changed, which the next one has read."""
    options = ", features_only=True" if features else ""
    text = INTERMEDIATE.replace("NAME", name).replace("OPTIONS", options).replace("FORMAT", layout)
    text = text.replace("FEATURES", str(features))
    return Program("timm", text, "maps.mul_(0.5)", "maps = maps * 0.5", expected)


PROGRAMS: dict[str, Program] = {
    "ignite: a handler before a metric": Program(
        "ignite", LOGGED, "probs = logits.sub_(3).exp_()", "probs = logits.sub(3).exp_()", (("IPL304", "exp_"),)
    ),
    "skorch: a loss before a score": Program(
        "skorch",
        ADJUSTED,
        "y_pred += torch.tensor([9.0, 0.0])",
        "y_pred = y_pred + torch.tensor([9.0, 0.0])",
        (("IPL305", "y_pred +="),),
    ),
    "lightning: a hook of the data": Program(
        "lightning", STANDARDIZED, "batch.sub_(3)", "batch = batch - 3", (("IPL306", "batch.sub_"),)
    ),
    "lightning: a hook after each backward pass": Program(
        "lightning",
        DAMPED,
        "on_after_backward(self)",
        "on_before_optimizer_step(self, optimizer)",
        (("IPL406", "mul_(0.5)"),),
    ),
    "lightning: a buffer that is given for each batch": Program(
        "lightning", PREDICTED, "self.canvas", "self.canvas.clone()", (("IPL304", "copy_"),)
    ),
    "accelerate: a space for the next batch": Program(
        "accelerate",
        AHEAD,
        "batch = torch.stack(rows, out=self.space)",
        "batch = torch.stack(rows)",
        (("IPL304", "out=self.space"),),
    ),
    "transformers: labels of an evaluation": Program(
        "transformers",
        PREPROCESSED,
        "gold = labels; gold[gold < 0] = 0",
        "gold = labels.clone(); gold[gold < 0] = 0",
        (("IPL305", "gold[gold < 0]"),),
    ),
    "peft: states of several tasks": Program(
        "peft",
        ADAPTED,
        "kept[task] = get_peft_model_state_dict(model)",
        "kept[task] = {key: each.clone() for key, each in get_peft_model_state_dict(model).items()}",
        (("IPL304", "step()"),),
    ),
    "timm: tokens": intermediate("vit_tiny_patch16_224", "NLC", ("IPL201", "mul_")),
    "timm: tokens laid out as images": intermediate("vit_tiny_patch16_224", "NCHW"),
    "timm: maps": intermediate("resnet18", "NCHW", ("IPL202", "mul_")),
    "timm: features": intermediate("resnet18", "NCHW", ("IPL202", "mul_"), features=True),
    "diffusers: a solver that keeps samples": solved(
        'DPMSolverMultistepScheduler.from_config(DDPMScheduler(prediction_type="sample").config)',
        ("IPL304", "out=space"),
    ),
    "diffusers: a solver that keeps what it makes of noise": solved("DPMSolverMultistepScheduler()"),
    "diffusers: a solver that keeps noise": solved("PNDMScheduler(skip_prk_steps=True)", ("IPL304", "out=space")),
    "diffusers: steps without memory": solved("DDIMScheduler()"),
    **{
        f"diffusers: {solver} keeps the sample": stepped(solver, ("IPL304", "latents.copy_"))
        for solver in (
            "UniPCMultistepScheduler",
            "SASolverScheduler",
            "HeunDiscreteScheduler",
            "KDPM2DiscreteScheduler",
            "KDPM2AncestralDiscreteScheduler",
            "DPMSolverSDEScheduler",
            "FlowMatchHeunDiscreteScheduler",
            "DPMSolverSinglestepScheduler",
            "PNDMScheduler",
        )
    },
    **{
        f"diffusers: {solver} keeps no sample": stepped(solver)
        for solver in ("DPMSolverMultistepScheduler", "DEISMultistepScheduler", "DDIMScheduler")
    },
    "tensordict: several in one": Program("tensordict", STACKED, "y.add_(1)", "y = y + 1", (("IPL202", "y.add_"),)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_a_framework_keeps_is_told_of(name: str) -> None:
    assert PROGRAMS[name].is_told()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_framework_shows_what_is_told(name: str) -> None:
    pytest.importorskip(PROGRAMS[name].needs)
    assert PROGRAMS[name].goes_wrong() == bool(PROGRAMS[name].expected)
