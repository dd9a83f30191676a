"""What one step keeps in memory, and the backward pass of the next one."""

import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self, keep):
        super().__init__()
        self.linear = nn.Linear(3, 2)
        self.keep = keep
        self.register_buffer("scale", torch.ones(()))

    def forward(self, x):
        y = self.linear(x).exp()
        self.keep(self.scale, y.mean())
        return (y / self.scale).mean()


def _trained(model, steps=3):
    for _ in range(steps):
        model(torch.ones(4, 3)).backward()
    return model.linear.weight.grad


def _average(scale, value):
    scale.mul_(0.9).add_(value, alpha=0.1)  # error: [IPL204]


def _average_of_values(scale, value):
    scale.mul_(0.9).add_(value.detach(), alpha=0.1)


def _average_without_gradients(scale, value):
    with torch.no_grad():
        scale.lerp_(value, 0.1)


def _average_anew(scale, value):
    scale.detach_()
    scale.mul_(0.9).add_(value, alpha=0.1)


def case_average_keeps_its_graph():
    return _trained(Scaled(_average))


def case_average_of_values():
    return _trained(Scaled(_average_of_values))


def case_average_under_no_grad():
    return _trained(Scaled(_average_without_gradients))


def case_average_that_lets_go_first():
    return _trained(Scaled(_average_anew))


def case_total_of_all_steps():
    model = nn.Sequential(nn.Linear(3, 2), nn.Tanh())
    total = torch.zeros(())
    for _ in range(3):
        total += model(torch.ones(4, 3)).square().mean()  # error: [IPL204]
        total.backward()
    return model[0].weight.grad


def case_total_of_each_step():
    model = nn.Sequential(nn.Linear(3, 2), nn.Tanh())
    for _ in range(3):
        total = torch.zeros(())
        for row in torch.ones(4, 3):
            total += model(row).square().mean()
        total.backward()
    return model[0].weight.grad


def case_total_of_all_steps_differentiated_once():
    model = nn.Sequential(nn.Linear(3, 2), nn.Tanh())
    total = torch.zeros(())
    for _ in range(3):
        total += model(torch.ones(4, 3)).square().mean()
    total.backward()
    return model[0].weight.grad


def case_total_of_all_steps_with_the_graph_retained():
    model = nn.Sequential(nn.Linear(3, 2), nn.Tanh())
    total = torch.zeros(())
    for _ in range(3):
        total += model(torch.ones(4, 3)).square().mean()
        total.backward(retain_graph=True)
    return model[0].weight.grad


def case_total_of_what_saves_nothing():
    weight = torch.ones(3, requires_grad=True)
    total = torch.zeros(())
    for _ in range(3):
        total += (weight + 1).sum()
        total.backward()
    return weight.grad
