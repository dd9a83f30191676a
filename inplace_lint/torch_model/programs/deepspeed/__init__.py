"""DeepSpeed, on one device: an engine stands for the model, runs backward, and steps the optimizer."""

import torch
from torch import nn

from inplace_lint.intrinsics import surely, unknown


class DeepSpeedEngine(nn.Module):
    """An optimizer that only the configuration names is taken for one that writes what it steps."""

    def __init__(self, model, optimizer=None, model_parameters=None):
        super().__init__()
        self.module = model
        given = model.parameters() if surely(model_parameters is None) else model_parameters
        self.optimizer = torch.optim.SGD(given, 0.1) if surely(optimizer is None) else optimizer

    def forward(self, *inputs, **kwargs):
        return self.module(*inputs, **kwargs)

    def backward(self, loss, retain_graph=False, **options):
        (loss / 1).backward(retain_graph=retain_graph)

    def step(self, *args, **options):
        self.optimizer.step()
        self.optimizer.zero_grad()


def initialize(args=None, model=None, optimizer=None, model_parameters=None, training_data=None, **options):
    engine = DeepSpeedEngine(model, optimizer, model_parameters)
    return engine, engine.optimizer, unknown(), unknown()
