"""What the recorder costs: the time of a training step with it and without it.

    python benchmarks/recorder_overhead.py [--steps N]

Plain and recorded steps alternate, so that a busy machine slows both; medians of processor time are compared.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import torch
from torch import nn

from inplace_lint.runtime.recorder import Recorder

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


def scalar_loop() -> Step:
    """The worst case: 200 ops on tensors of 16 numbers."""
    model = nn.Linear(16, 16)

    def forward(x: torch.Tensor) -> torch.Tensor:
        for _ in range(100):
            x = torch.tanh(x) * 1.01
        return x

    return training(nn.Sequential(model, _Apply(forward)), torch.randn(16), torch.optim.SGD)


class _Apply(nn.Module):
    def __init__(self, function: Callable[[torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.function(x)


def timed(step: Step) -> float:
    """Seconds of processor time that a step takes."""
    begin = time.process_time()
    step()
    return time.process_time() - begin


def compare(step: Step, steps: int) -> tuple[float, float]:
    """Median seconds of a plain and of a recorded step."""
    recorder = Recorder()
    plain, recorded = [], []
    for count in range(steps + 3):
        first = timed(step)
        with recorder:
            second = timed(step)
        if count >= 3:
            plain.append(first)
            recorded.append(second)
    return statistics.median(plain), statistics.median(recorded)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description="What the recorder costs per training step.")
    parser.add_argument("--steps", type=int, default=40, help="how many steps to time")
    steps = parser.parse_args().steps
    torch.manual_seed(0)
    torch.set_num_threads(1)
    print("| model | plain (ms) | recorded (ms) | factor |\n|---|---|---|---|")
    for name, make in (("CNN", convolutional), ("transformer", transformer), ("200 tiny ops", scalar_loop)):
        plain, recorded = compare(make(), steps)
        print(f"| {name} | {plain * 1e3:.1f} | {recorded * 1e3:.1f} | {recorded / plain:.2f} |")


if __name__ == "__main__":
    main()
