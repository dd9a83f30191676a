"""Parameters without their history are no copies: who computes something of them in place changes the layer."""

import torch
from torch import nn


def _saliency(layer):
    flat = layer.weight.detach().flatten()
    return flat.abs_()  # warning: [IPL304]


def case_sizes_of_weights():
    layers = dict(nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1)).named_children())
    least = {name: _saliency(layer).min() for name, layer in layers.items() if isinstance(layer, nn.Linear)}
    return least["0"], layers["0"].weight.detach().clone()


def _saliency_cured(layer):
    flat = layer.weight.detach().flatten()
    return flat.abs()


def case_sizes_of_weights_cured():
    layers = dict(nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1)).named_children())
    least = {name: _saliency_cured(layer).min() for name, layer in layers.items() if isinstance(layer, nn.Linear)}
    return least["0"], layers["0"].weight.detach().clone()


class Gaussian(nn.Module):
    def __init__(self):
        super().__init__()
        self.scales = nn.ParameterList([nn.Parameter(torch.full((2,), 0.5)), nn.Parameter(torch.zeros(2))])

    def spread(self):
        return sum(scale.data.exp_().sum().item() for scale in self.scales)  # warning: [IPL304]


def case_logarithms_of_scales():
    gaussian = Gaussian()
    return torch.tensor([gaussian.spread() for _ in range(2)])


class GaussianCured(nn.Module):
    def __init__(self):
        super().__init__()
        self.scales = nn.ParameterList([nn.Parameter(torch.full((2,), 0.5)), nn.Parameter(torch.zeros(2))])

    def spread(self):
        return sum(scale.data.exp().sum().item() for scale in self.scales)


def case_logarithms_of_scales_cured():
    gaussian = GaussianCured()
    return torch.tensor([gaussian.spread() for _ in range(2)])


def case_distance_from_the_start():
    net = nn.Linear(2, 1)
    start = [parameter.detach().clone() + 1 for parameter in net.parameters()]
    moved = 0.0
    with torch.no_grad():
        for parameter, first in zip(net.parameters(), start):
            moved += parameter.sub_(first).norm().item()  # warning: [IPL304]
    return torch.tensor(moved), net.weight.detach().clone()


def case_distance_from_the_start_cured():
    net = nn.Linear(2, 1)
    start = [parameter.detach().clone() + 1 for parameter in net.parameters()]
    moved = 0.0
    with torch.no_grad():
        for parameter, first in zip(net.parameters(), start):
            moved += parameter.sub(first).norm().item()
    return torch.tensor(moved), net.weight.detach().clone()


# What is limited, masked or scaled goes on so, and what stands alone is meant.


def case_limited_weights():
    net = nn.Linear(2, 1)
    largest = net.weight.data.clamp_(-0.1, 0.1).max()
    return largest, net.weight.detach().clone()


def case_weights_made_positive():
    net = nn.Linear(2, 1)
    net.weight.data.abs_()
    return net.weight.detach().clone()


def _made_positive_(layer):
    return layer.weight.data.abs_()


def case_weights_made_positive_by_a_function():
    net = nn.Linear(2, 1)
    return _made_positive_(net).clone(), net.weight.detach().clone()
