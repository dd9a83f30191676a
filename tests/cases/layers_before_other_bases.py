"""Classes that derive from a layer of PyTorch first, and then from a class that leaves `forward` open."""

from abc import abstractmethod

import torch
from torch import nn


class Open(nn.Module):
    @abstractmethod
    def forward(self, x):
        pass


class Row(nn.Sequential, Open):
    @classmethod
    def build(cls, size):
        return cls(nn.Linear(size, 2 * size), nn.Tanh())


class Bounds(nn.Module):
    def __init__(self):
        super().__init__()
        self.row = Row.build(2)

    def forward(self, x):
        low, high = torch.chunk(self.row(x), 2, 1)
        return high.sub_(low)  # error: [IPL103]


def case_the_layer_comes_first():
    return Bounds()(torch.ones(1, 2)).sum()


class Doubled(Open, nn.Sequential):
    def forward(self, x):
        return 2 * x


def case_the_class_comes_first():
    x = Doubled(nn.Tanh())(torch.ones(2, requires_grad=True))
    x.sub_(1)
    return x.sum()
