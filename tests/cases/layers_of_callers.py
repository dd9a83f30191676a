"""Layers and parameters that callers bring: of a class of `torch.nn`, as annotations or tests say, they have leaves."""

import torch
from torch import nn


def _layer(x):
    layer = nn.Linear(4, 4)
    return layer.requires_grad_(x.requires_grad)


def _unseen(x):
    return eval("_layer")(x)


def open_scaled(x):
    layer = _unseen(x)
    if isinstance(layer, nn.Linear):
        layer.weight.mul_(0.5)  # warning: [IPL101]
    return layer(x)


def open_one_of_several_classes(x):
    layer = _unseen(x)
    if isinstance(layer, (nn.Linear, nn.Conv2d)):
        layer.bias.zero_()  # warning: [IPL101]
    return layer(x)


def open_a_row(x):
    layer = _unseen(x)
    if isinstance(layer, nn.Linear):
        layer.weight[0].zero_()  # warning: [IPL102]
    return layer(x)


def open_frozen(x):
    layer = _unseen(x)
    if isinstance(layer, nn.Linear):
        layer.requires_grad_(False)
        layer.weight.mul_(0.5)
    return layer(x)


def open_frozen_in_a_loop(x):
    layer = _unseen(x)
    if isinstance(layer, nn.Linear):
        for parameter in layer.parameters():
            parameter.requires_grad = False
        layer.weight.mul_(0.5)
    return layer(x)


def open_only_the_values(x):
    layer = _unseen(x)
    if isinstance(layer, nn.Linear):
        layer.weight.data.mul_(0.5)
        nn.init.zeros_(layer.bias)
    return layer(x)


def open_without_gradients(x):
    layer = _unseen(x)
    if isinstance(layer, nn.Linear):
        with torch.no_grad():
            layer.weight.mul_(0.5)
    return layer(x)


class Limit:
    def __init__(self, layer: nn.Linear):
        self.layer = layer

    def apply(self):
        weight = self.layer.weight
        weight.clamp_(-1, 1)  # warning: [IPL101]


def open_kept(x):
    layer = _unseen(x)
    Limit(layer).apply()
    return layer(x)


def shift(weight: nn.Parameter):
    weight.add_(1)  # warning: [IPL101]


def open_parameter(x):
    layer = _unseen(x)
    shift(layer.weight)
    return layer(x)
