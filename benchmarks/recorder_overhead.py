"""What the recorder costs: the time of a training step plain, recorded, and in PyTorch's anomaly mode.

    python benchmarks/recorder_overhead.py [--steps N]

The three alternate, so that a busy machine slows all of them; processor time is compared, of the median step and of the
fastest, which other programs disturb least. BERT and ResNet-18 are those of Transformers, with random weights.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

import torch
from torch import nn

from inplace_lint.runtime.recorder.verdict import Judge

Step = Callable[[], None]


def training(model: nn.Module, batch: torch.Tensor, optimizer: type[torch.optim.Optimizer]) -> Step:
    """A step on random data: forward, backward, update."""
    update = optimizer(model.parameters(), lr=1e-3)

    def step() -> None:
        update.zero_grad()
        model(batch).square().mean().backward()
        update.step()

    return step


def convolutional() -> Step:
    """Three convolutions with batch norm on eight images of 32 x 32."""
    layers: list[nn.Module] = []
    for before, after in ((3, 32), (32, 64), (64, 64)):
        layers += [
            nn.Conv2d(before, after, 3, padding=1),
            nn.BatchNorm2d(after),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(2),
        ]
    model = nn.Sequential(*layers, nn.Flatten(), nn.Linear(64 * 16, 10))
    return training(model, torch.randn(8, 3, 32, 32), torch.optim.SGD)


def transformer() -> Step:
    """Four encoder layers of width 128 on eight sequences of 64 tokens."""
    layer = nn.TransformerEncoderLayer(128, 4, 512, dropout=0.1, batch_first=True)
    model = nn.TransformerEncoder(layer, 4)
    return training(model, torch.randn(8, 64, 128), torch.optim.AdamW)


def perceptron(optimizer: type[torch.optim.Optimizer] = torch.optim.SGD) -> Step:
    """Three linear layers of width 64 on 32 vectors: little to compute in each op."""
    layers = [nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10)]
    return training(nn.Sequential(*layers), torch.randn(32, 64), optimizer)


def bert() -> Step:
    """Four layers of width 128 on eight sequences of 32 tokens."""
    from transformers import BertConfig, BertForSequenceClassification

    config = BertConfig(
        vocab_size=1000, hidden_size=128, num_hidden_layers=4, num_attention_heads=4, intermediate_size=512
    )
    model = _Apply(BertForSequenceClassification(config), lambda out: out.logits)
    return training(model, torch.randint(0, 1000, (8, 32)), torch.optim.AdamW)


def resnet18() -> Step:
    """ResNet-18 on four images of 64 x 64."""
    from transformers import ResNetConfig, ResNetForImageClassification

    config = ResNetConfig(depths=[2, 2, 2, 2], hidden_sizes=[64, 128, 256, 512], layer_type="basic", num_labels=10)
    model = _Apply(ResNetForImageClassification(config), lambda out: out.logits)
    return training(model, torch.randn(4, 3, 64, 64), torch.optim.SGD)


def scalar_loop() -> Step:
    """The worst case: 200 ops on tensors of 16 numbers."""

    def loop(x: torch.Tensor) -> torch.Tensor:
        for _ in range(100):
            x = torch.tanh(x) * 1.01
        return x

    return training(_Apply(nn.Linear(16, 16), loop), torch.randn(16), torch.optim.SGD)


class _Apply(nn.Module):
    """A model, and what is done with its result."""

    def __init__(self, model: nn.Module, function: Callable[[Any], torch.Tensor]) -> None:
        super().__init__()
        self.model = model
        self.function = function

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.function(self.model(x))


def timed(step: Step) -> float:
    """Seconds of processor time that a step takes."""
    begin = time.process_time()
    step()
    return time.process_time() - begin


def recorded() -> AbstractContextManager[Any]:
    """Record as `inplace-lint run` does."""
    return Judge().recorder


def anomaly_mode() -> AbstractContextManager[Any]:
    """PyTorch's own way to learn which op saved a tensor. It is on from here, not from `with` on."""
    return torch.autograd.set_detect_anomaly(True)


def compare(step: Step, steps: int) -> list[list[float]]:
    """Seconds of each step that is plain, recorded, and in anomaly mode."""
    times: list[list[float]] = []
    for count in range(steps + 3):
        row = []
        for around in (nullcontext, recorded, anomaly_mode):
            with around():
                row.append(timed(step))
        if count >= 3:
            times.append(row)
    return [list(column) for column in zip(*times, strict=True)]


MODELS: dict[str, Callable[[], Step]] = {
    "small MLP": perceptron,
    "the same, AdamW": partial(perceptron, torch.optim.AdamW),
    "BERT": bert,
    "ResNet-18": resnet18,
    "CNN": convolutional,
    "transformer": transformer,
    "200 tiny ops": scalar_loop,
}


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description="What the recorder costs per training step.")
    parser.add_argument("--steps", type=int, default=40, help="how many steps to time")
    steps = parser.parse_args().steps
    torch.manual_seed(0)
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore", "Anomaly Detection")
    print("| model | plain (ms) | recorded | fastest | anomaly mode | fastest |\n|---|---|---|---|---|---|")
    for name, make in MODELS.items():
        plain, *others = compare(make(), steps)
        cells = [statistics.median(plain) * 1e3]
        for times in others:
            cells += [each(times) / each(plain) for each in (statistics.median, min)]
        print(f"| {name} | {cells[0]:.1f} | {' | '.join(f'{each:.2f}' for each in cells[1:])} |", flush=True)


if __name__ == "__main__":
    main()
