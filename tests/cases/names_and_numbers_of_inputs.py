"""A `y` that stands alone is an input or a result; one number with a point makes a tensor one of floats."""

import torch
from torch import nn
from torch.distributions.transforms import *


class Inverse(nn.Module):
    def inverse(self, y):
        y = y.clamp(min=1e-6, max=1.0)
        return y.log() - torch.log1p(y.neg_())  # warning: [IPL201]


class Residual(nn.Module):
    def __init__(self, block):
        super().__init__()
        self.block = block

    def forward(self, x):
        y = self.block(x)
        z = y.square()
        y.add_(1)  # warning: [IPL201]
        return z


def distance(x, y):
    z = y.square()
    y.mul_(2)
    return x - z


def trained(model, batches):
    for x, y in batches:
        wanted = y.square()
        y.mul_(2)
        model(x).sub(wanted).sum().backward()


def widened():
    x = torch.tensor([1, 2.0, 3], requires_grad=True) * 1.0
    y = x.exp()
    y.neg_()  # error: [IPL202]
    y.sum().backward()


def whole():
    x = torch.tensor([[1, 2], [3, 4]]) * 2
    y = x.exp()
    y.neg_()
    return y


class Scaled(Transform):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    @property
    def inv(self):
        return Scaled(1 / self.scale)

    def __call__(self, x):
        return x * self.scale


def undone():
    x = torch.rand(3, requires_grad=True) * 1.0
    z = Scaled(torch.rand(3, requires_grad=True).exp()).inv(x)
    x.zero_()  # error: [IPL201]
    z.sum().backward()
