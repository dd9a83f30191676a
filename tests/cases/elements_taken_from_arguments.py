"""Tensors in a list that a layer is given: it takes what it needs out of that, and reads it once more."""

import torch
from torch import nn


class Signed(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, parts):
        slope = self.scale * (1 - parts[0].sign_())  # warning: [IPL301]
        return parts[0] * slope.exp() + parts[1]


def case_signs_of_a_part():
    return Signed()([torch.arange(3.0), torch.ones(3)])


class SignedAside(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, parts):
        slope = self.scale * (1 - parts[0].sign())
        return parts[0] * slope.exp() + parts[1]


def case_signs_of_a_part_cured():
    return SignedAside()([torch.arange(3.0), torch.ones(3)])


class Initialized(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.zeros(3))
        self.bias = nn.Parameter(torch.zeros(3))
        self.is_new = True

    def _initialize_with_data(self, data):
        self.scale.data.view(-1)[:] = -data.std(dim=0).log()
        data *= self.scale.detach().exp()  # warning: [IPL305]
        self.bias.data.view(-1)[:] = -data.mean(dim=0)
        self.is_new = False

    def forward(self, parts):
        if self.is_new:
            self._initialize_with_data(parts[0])
        return parts[0] * self.scale.exp() + self.bias


def case_data_that_initializes():
    return Initialized()([torch.arange(6.0).reshape(2, 3)])


class InitializedAside(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.zeros(3))
        self.bias = nn.Parameter(torch.zeros(3))
        self.is_new = True

    def _initialize_from_data(self, data):
        self.scale.data.view(-1)[:] = -data.std(dim=0).log()
        data = data * self.scale.detach().exp()
        self.bias.data.view(-1)[:] = -data.mean(dim=0)
        self.is_new = False

    def forward(self, parts):
        if self.is_new:
            self._initialize_from_data(parts[0])
        return parts[0] * self.scale.exp() + self.bias


def case_data_that_initializes_cured():
    return InitializedAside()([torch.arange(6.0).reshape(2, 3)])


class Halved(nn.Module):
    def forward(self, parts):
        first, second = parts
        second -= first  # error: [IPL103]
        return torch.cat([first, second], 1)


class Halves(nn.Module):
    def forward(self, x):
        return x.chunk(2, dim=1)


class Blocks(nn.Module):
    def __init__(self):
        super().__init__()
        self.flows = nn.ModuleList([])
        self.flows += [Halves()]
        self.flows += [Halved()]

    def forward(self, x):
        for flow in self.flows:
            x = flow(x)
        return x


def case_a_container_that_grew():
    return Blocks()(torch.rand(2, 4, requires_grad=True).exp())
