"""Layers of classes that nobody knows, asked to write: who says `inplace=True` counts on a class that can."""

import torch
from torch import nn


class Gated(nn.Module):
    def __init__(self, act_layer):
        super().__init__()
        self.act = act_layer(inplace=True)  # warning: [IPL202]

    def forward(self, x):
        gate = torch.sigmoid(x)
        return gate * self.act(gate)


def open_class_of_a_caller(x):
    return eval(Gated.__name__)(nn.SiLU)(x)


class GatedApart(nn.Module):
    def __init__(self, act_layer):
        super().__init__()
        self.act = act_layer()

    def forward(self, x):
        gate = torch.sigmoid(x)
        return gate * self.act(gate)


def open_class_of_a_caller_that_is_not_asked(x):
    return eval(GatedApart.__name__)(nn.SiLU)(x)


class GatedByDefault(nn.Module):
    def __init__(self, act_layer=nn.Sigmoid):
        super().__init__()
        self.act = act_layer(inplace=True)  # warning: [IPL202]

    def forward(self, x):
        gate = torch.tanh(x)
        return gate * self.act(gate)


def open_default_that_takes_no_such_option(x):
    return eval(GatedByDefault.__name__)(nn.ReLU)(x)


class GatedByTable(nn.Module):
    def __init__(self, acts, name):
        super().__init__()
        self.act = acts[name](inplace=True)  # warning: [IPL202]

    def forward(self, x):
        gate = torch.sigmoid(x)
        return gate * self.act(gate)


def open_class_of_a_table(x):
    return eval(GatedByTable.__name__)({"silu": nn.SiLU}, "silu")(x)


class Added(nn.Module):
    def __init__(self, act_layer):
        super().__init__()
        self.act = act_layer(inplace=True)

    def forward(self, x):
        return x + self.act(x * 2 + 1)


def open_class_of_a_caller_for_what_nothing_saves(x):
    return eval(Added.__name__)(nn.SiLU)(x)


class Ensemble(nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network(inplace=True)

    def forward(self, x):
        gate = torch.sigmoid(x)
        return gate * self.network(gate)


class Network(nn.Module):
    def __init__(self, inplace):
        super().__init__()
        self.act = nn.ReLU(inplace=inplace)

    def forward(self, x):
        return self.act(x * 2 + 1)


def open_network_of_a_caller(x):
    assert Ensemble
    return eval(Ensemble.__name__)(eval("Network"))(x)
