"""Layers that keep the graph of a step in a buffer, where no training is in view."""

import torch
from torch import nn


class Centered(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(()))
        self.register_buffer("running", torch.zeros(()))

    def forward(self, x):
        mean = x.mean()
        offset = mean.detach() - self.running
        if self.training:
            self.running += 0.1 * (mean - self.running)  # warning: [IPL204]
        x = self.weight * (x - mean)
        return x + offset


def open_running_mean_with_a_history(x):
    layer = eval(Centered.__name__)()
    layer(x.detach().requires_grad_().sin()).sum().backward()
    return layer(x.cos())


class CenteredCut(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(()))
        self.register_buffer("running", torch.zeros(()))

    def forward(self, x):
        mean = x.mean()
        offset = mean.detach() - self.running
        if self.training:
            self.running += 0.1 * (mean.detach() - self.running)
        x = self.weight * (x - mean)
        return x + offset


def case_running_mean_without_a_history():
    layer = eval(CenteredCut.__name__)()
    x = torch.rand(4, requires_grad=True)
    layer(x.sin()).sum().backward()
    out = layer(x.cos()).sum()
    out.backward()
    return out


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 1)
        self.register_buffer("scale", torch.ones(()))

    def forward(self, x):
        y = self.linear(x).exp()
        self.scale.mul_(0.9).add_(y.mean(), alpha=0.1)  # warning: [IPL204]
        return (y / self.scale).mean()


def open_scale_with_a_history(x):
    layer = eval(Scaled.__name__)()
    layer(x.detach().view(2, 2)).backward()
    return layer(x.view(2, 2))


class Sequence(nn.Module):
    """Called for each item of a sequence, then begun anew."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)
        self.register_buffer("state", torch.zeros(2))

    def begin(self):
        self.state = torch.zeros(2)

    def forward(self, x):
        self.state += self.linear(x)
        return self.state * 2


def case_state_that_each_sequence_begins_anew():
    layer = eval(Sequence.__name__)()
    for _ in range(2):
        layer.begin()
        out = layer(torch.ones(2)) + layer(torch.ones(2))
        out.sum().backward()
    return out


class Truncated(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)
        self.register_buffer("state", torch.zeros(2))

    def cut(self):
        self.state.detach_()

    def forward(self, x):
        self.state += self.linear(x)
        return self.state * 2


def case_state_that_is_cut_after_each_step():
    layer = eval(Truncated.__name__)()
    for _ in range(2):
        out = layer(torch.ones(2))
        out.sum().backward()
        layer.cut()
    return out


class Counted(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(()))

    def forward(self, x):
        self.total += x.sum()
        return x * 2


def open_total_that_no_result_depends_on(x):
    layer = eval(Counted.__name__)()
    layer(x.detach().requires_grad_().sin()).sum().backward()
    return layer(x.cos())
