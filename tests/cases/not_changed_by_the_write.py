"""What is read has the same values as without the write, since the reader does the same to them."""

import torch
from torch import nn


class Rectified(nn.Module):
    def __init__(self, first):
        super().__init__()
        self.op = nn.Sequential(first, nn.Conv2d(2, 2, 1))

    def forward(self, x):
        return self.op(x)


class Auxiliary(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.ReLU(inplace=True), nn.AvgPool2d(2))

    def forward(self, x):
        return self.features(x)


class Network(nn.Module):
    def __init__(self, first):
        super().__init__()
        self.cells = nn.ModuleList([Rectified(first), Rectified(first)])
        self.auxiliary = Auxiliary()

    def forward(self, x):
        x = self.cells[0](x)
        side = self.auxiliary(x)
        return self.cells[1](x), side


def case_rectified_twice():
    torch.manual_seed(0)
    x = torch.randn(1, 2, 4, 4)
    return Network(nn.ReLU())(x)


def case_rectified_before_another_layer():
    torch.manual_seed(0)
    x = torch.randn(1, 2, 4, 4)
    return NetworkOfSigmoids()(x)


class NetworkOfSigmoids(nn.Module):
    def __init__(self):
        super().__init__()
        self.cells = nn.ModuleList([Rectified(nn.Tanh()), Rectified(nn.Tanh())])
        self.auxiliary = AuxiliaryOfOthers()

    def forward(self, x):
        x = self.cells[0](x)
        side = self.auxiliary(x)
        return self.cells[1](x), side


class AuxiliaryOfOthers(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.ReLU(inplace=True), nn.AvgPool2d(2))  # warning: [IPL305]

    def forward(self, x):
        return self.features(x)


def case_rectified_before_another_layer_cured():
    torch.manual_seed(0)
    x = torch.randn(1, 2, 4, 4)
    return NetworkCured()(x)


class NetworkCured(nn.Module):
    def __init__(self):
        super().__init__()
        self.cells = nn.ModuleList([Rectified(nn.Tanh()), Rectified(nn.Tanh())])

    def forward(self, x):
        x = self.cells[0](x)
        side = x.relu()
        return self.cells[1](x), nn.functional.avg_pool2d(side, 2)


class ObserverOfAll(nn.Module):
    def forward(self, x):
        low = torch.amin(x.view(2, -1), dim=-1)
        if not hasattr(self, "low"):
            self.low = low
        else:
            low = (self.low + low) / 2
            self.low.copy_(low)  # error: [IPL202]
        return x * low.sum()


def case_average_of_the_lowest_of_all():
    observer, x = ObserverOfAll(), torch.rand(2, 3, requires_grad=True)
    (observer(x) + observer(x)).sum().backward()
