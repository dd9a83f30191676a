"""Layers that a container of layers takes over from another one."""

import torch
from torch import nn


class Dropping(nn.Module):
    def __init__(self, rate=0.1):
        super().__init__()
        self.drops = nn.ModuleDict({})
        self.fill(rate)

    def fill(self, rate):
        self.drops.update(nn.ModuleDict({"default": nn.Dropout(rate, inplace=True)}))  # error: [IPL202]

    def forward(self, x):
        return self.drops["default"](torch.sigmoid(x))


def case_layer_of_another_dictionary():
    x = torch.ones(3, requires_grad=True)
    out = Dropping()(x)
    out.sum().backward()
    return out


class Rectifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.more = nn.ModuleList()
        self.more.extend(nn.ModuleList([nn.Identity(), nn.ReLU(inplace=True)]))  # error: [IPL202]

    def forward(self, x):
        return self.more[1](torch.tanh(x))


def case_layer_of_another_list():
    x = torch.ones(3, requires_grad=True)
    out = Rectifier()(x)
    out.sum().backward()
    return out


def case_layers_that_do_no_harm():
    layers = nn.ModuleDict({})
    layers.update(nn.ModuleDict({"a": nn.Linear(3, 3), "b": nn.ReLU(inplace=True)}))
    x = torch.ones(2, 3, requires_grad=True)
    out = layers["b"](layers["a"](x))
    out.sum().backward()
    return out
