"""Layers that a model is asked for by a name from out of view: a hook there may change what the layer keeps."""

import torch
from torch import nn

class Squashed(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.squash, self.down = nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 3)

    def forward(self, x):
        return self.down(self.squash(self.up(x)))


class Steered(nn.Module):
    """Adds a direction to the output of a layer."""

    def __init__(self, model: Squashed, layer):
        super().__init__()
        self.model = model
        self.direction = nn.Parameter(torch.ones(3))
        self.model.get_submodule(layer).register_forward_hook(self._shift)

    def _shift(self, module, inputs, output):
        output.add_(self.direction)  # error: [IPL202]

    def forward(self, x):
        return self.model(x)


def case_output_of_a_named_layer():
    model = eval("Squashed()")
    eval(Steered.__name__)(model, "squash")(torch.ones(3)).sum().backward()
    return model.up.weight.grad


class SteeredApart(nn.Module):
    def __init__(self, model: Squashed, layer):
        super().__init__()
        self.model = model
        self.direction = nn.Parameter(torch.ones(3))
        self.model.get_submodule(layer).register_forward_hook(self._shift)

    def _shift(self, module, inputs, output):
        return output + self.direction

    def forward(self, x):
        return self.model(x)


def case_output_of_a_named_layer_apart():
    model = eval("Squashed()")
    eval(SteeredApart.__name__)(model, "squash")(torch.ones(3)).sum().backward()
    return model.up.weight.grad
