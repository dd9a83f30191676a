"""Layers that derive from the hidden bases of PyTorch's layers, and what is asked by these bases."""

import torch
from torch import nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.conv import _ConvNd
from torch.nn.modules.loss import _Loss, _WeightedLoss
from torch.nn.modules.utils import _pair


class Focal(_Loss):
    def __init__(self, gamma=2.0, reduction="mean"):
        super().__init__(reduction=reduction)
        self.gamma = gamma

    def forward(self, scores, wanted):
        loss = (scores - wanted).exp()
        return loss.mean() if self.reduction == "mean" else loss


def focal(wanted):
    scores = torch.rand(3, requires_grad=True) * 1.0
    loss = Focal(reduction="none")(scores, wanted)
    loss.mul_(2)  # error: [IPL202]
    loss.sum().backward()


def meant(wanted):
    scores = torch.rand(3, requires_grad=True) * 1.0
    loss = Focal()(scores, wanted)
    loss.mul_(2)
    loss.backward()


class Weighted(_WeightedLoss):
    def forward(self, scores, wanted):
        return (scores * wanted).exp()


def weighted(wanted):
    scores = torch.rand(3, requires_grad=True)
    loss = Weighted()(scores, wanted)
    loss.mul_(2)  # error: [IPL202]
    loss.sum().backward()


class Convolution(_ConvNd):
    def __init__(self, width):
        super().__init__(
            width, width, _pair(3), _pair(1), _pair(1), _pair(1), False, _pair(0), 1, True, "zeros"
        )
        self.weight.mul_(0.5)  # error: [IPL101]

    def forward(self, x):
        return nn.functional.conv2d(x, self.weight, self.bias)


class Norm(_BatchNorm):
    def _check_input_dim(self, x):
        pass


def normed(x):
    y = Norm(4)(x * 1.0)
    z = y.exp()
    z.neg_()  # error: [IPL202]
    return z


def frozen(layer):
    norm = nn.BatchNorm2d(4)
    x = norm.weight.exp()
    if isinstance(norm, _BatchNorm):
        x.neg_()  # error: [IPL202]
    return x


def other():
    norm = nn.LayerNorm(4)
    x = norm.weight.exp()
    if isinstance(norm, _BatchNorm):
        x.neg_()
    return x
