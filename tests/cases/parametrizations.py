"""Weights that a parametrization computes whenever they are asked for."""

import copy

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import parametrize


class PowerNorm(nn.Module):
    """Divides a matrix by its largest singular value, which it follows turn by turn."""

    def __init__(self, rows, columns):
        super().__init__()
        self.register_buffer("left", F.normalize(torch.ones(rows), dim=0))
        self.register_buffer("right", F.normalize(torch.ones(columns), dim=0))

    @torch.no_grad()
    def follow(self, weight):
        self.right.copy_(F.normalize(weight.t() @ self.left, dim=0))  # error: [IPL201]
        self.left.copy_(F.normalize(weight @ self.right, dim=0))  # error: [IPL201]

    def forward(self, weight):
        self.follow(weight)
        return weight / torch.dot(self.left, torch.mv(weight, self.right))


class CarefulPowerNorm(nn.Module):
    def __init__(self, rows, columns):
        super().__init__()
        self.register_buffer("left", F.normalize(torch.ones(rows), dim=0))
        self.register_buffer("right", F.normalize(torch.ones(columns), dim=0))

    @torch.no_grad()
    def follow(self, weight):
        self.right.copy_(F.normalize(weight.t() @ self.left, dim=0))
        self.left.copy_(F.normalize(weight @ self.right, dim=0))

    def forward(self, weight):
        self.follow(weight)
        left, right = self.left.clone(), self.right.clone()
        return weight / torch.dot(left, torch.mv(weight, right))


def _critic(norm):
    torch.manual_seed(0)
    critic = nn.Linear(3, 2)
    parametrize.register_parametrization(critic, "weight", norm(2, 3))
    return critic


def case_two_forwards_before_one_backward():
    critic = _critic(PowerNorm)
    loss = critic(torch.ones(4, 3)).mean() - critic(torch.zeros(4, 3)).mean()
    loss.backward()
    return critic.parametrizations.weight.original.grad


def case_two_forwards_before_one_backward_with_copies():
    critic = _critic(CarefulPowerNorm)
    loss = critic(torch.ones(4, 3)).mean() - critic(torch.zeros(4, 3)).mean()
    loss.backward()
    return critic.parametrizations.weight.original.grad


class Symmetric(nn.Module):
    def forward(self, weight):
        return weight.triu() + weight.triu(1).t()


def case_the_optimizer_steps_on_the_original():
    torch.manual_seed(0)
    layer = nn.Linear(3, 3)
    parametrize.register_parametrization(layer, "weight", Symmetric())
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        layer(torch.ones(3)).sum().backward()
        optimizer.step()
    return layer.weight


class Scaled(nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.register_buffer("factor", torch.tensor(factor))

    def forward(self, weight):
        return weight * self.factor


def case_the_second_of_two_saves_what_the_first_gives():
    layer = nn.Linear(3, 3)
    parametrize.register_parametrization(layer, "weight", Symmetric())
    parametrize.register_parametrization(layer, "weight", Scaled(2.0))
    loss = layer(torch.ones(3)).sum()
    layer.parametrizations.weight[1].factor.mul_(2)  # error: [IPL201]
    loss.backward()
    return layer.parametrizations.weight.original.grad


def case_what_is_computed_is_nobodys():
    layer = nn.Linear(3, 3)
    parametrize.register_parametrization(layer, "weight", Scaled(2.0))
    before = layer.weight
    with torch.no_grad():
        layer.weight.mul_(2)
    return before * 1, layer.weight * 1


def case_a_copy_computes_by_modules_of_its_own():
    layer = nn.Linear(3, 3)
    parametrize.register_parametrization(layer, "weight", Scaled(2.0))
    twin = copy.deepcopy(layer)
    loss = twin(torch.ones(3)).sum()
    layer.parametrizations.weight[0].factor.mul_(2)
    twin.parametrizations.weight[0].factor.mul_(2)  # error: [IPL201]
    loss.backward()
    return twin.parametrizations.weight.original.grad


class ScaledInPlace(nn.Module):
    def forward(self, weight):
        return weight.mul_(2)  # error: [IPL101]


def scaled_in_place(module, name="weight"):
    parametrize.register_parametrization(module, name, ScaledInPlace())
    return module


class ScaledApart(nn.Module):
    def forward(self, weight):
        return weight.clone().mul_(2)


def scaled_apart(module, name="weight"):
    parametrize.register_parametrization(module, name, ScaledApart())
    return module
