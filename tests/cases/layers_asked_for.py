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


class Normed(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.norm = nn.Linear(3, 4), nn.LayerNorm(4)
        self.act = nn.ReLU(inplace=True)  # warning: [IPL304]

    def forward(self, x):
        x = self.norm(self.up(x))
        x = self.act(x)
        return x.sum(-1)


class Tap:
    """Keeps what some layers have given."""

    def __init__(self, model, names):
        self.values = {}
        for name in names:
            model.get_submodule(name).register_forward_hook(self._keeping(name))

    def _keeping(self, name):
        def keep(module, inputs, output):
            self.values[name] = output

        return keep

    def penalty(self):
        return sum(value.mean() for value in self.values.values())


def case_output_that_the_next_layer_overwrites():
    torch.manual_seed(0)
    model = Normed()
    tap = Tap(model, ["norm"])
    return model(torch.ones(2, 3)).mean() + tap.penalty()


class NormedApart(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.norm, self.act = nn.Linear(3, 4), nn.LayerNorm(4), nn.ReLU()

    def forward(self, x):
        x = self.norm(self.up(x))
        x = self.act(x)
        return x.sum(-1)


def case_output_that_the_next_layer_overwrites_cured():
    torch.manual_seed(0)
    model = NormedApart()
    tap = Tap(model, ["norm"])
    return model(torch.ones(2, 3)).mean() + tap.penalty()


class TapOfCopies(Tap):
    def _keeping(self, name):
        def keep(module, inputs, output):
            self.values[name] = output.clone()

        return keep


def case_copies_of_outputs():
    model = nn.Sequential(nn.LayerNorm(3), nn.ReLU(inplace=True))
    tap = TapOfCopies(model, ["0"])
    return model(torch.ones(2, 3)).mean() + tap.penalty()
