"""Attributes that a program gives tensors, and classes of tensors that it makes of others."""

import torch
from torch import nn


def case_start_that_is_the_parameter():
    net = nn.Linear(3, 2)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for p in net.parameters():
        p.start = p.data
    net(torch.ones(3)).sum().backward()
    optimizer.step()  # warning: [IPL304]
    return sum((p.data - p.start).norm() for p in net.parameters())


def case_start_that_is_the_parameter_cured():
    net = nn.Linear(3, 2)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for p in net.parameters():
        p.start = p.data.clone()
    net(torch.ones(3)).sum().backward()
    optimizer.step()
    return sum((p.data - p.start).norm() for p in net.parameters())


class Flat:
    """A manifold on which a gradient is its own Riemannian one."""

    def gradient(self, given):
        return given


class OnManifold(nn.Parameter):
    def __new__(cls, data, manifold):
        made = torch.Tensor._make_subclass(cls, data, True)
        made.manifold = manifold
        return made


def case_gradient_that_a_manifold_hands_back():
    weight = OnManifold(torch.ones(3), Flat())
    weight.square().sum().backward()
    with torch.no_grad():
        gradient = weight.manifold.gradient(weight.grad)
        step = gradient.mul_(-0.1)  # warning: [IPL304]
        weight.add_(step)
    return weight.grad.norm()


def case_gradient_that_a_manifold_hands_back_cured():
    weight = OnManifold(torch.ones(3), Flat())
    weight.square().sum().backward()
    with torch.no_grad():
        gradient = weight.manifold.gradient(weight.grad)
        step = gradient.mul(-0.1)
        weight.add_(step)
    return weight.grad.norm()


class Marked(torch.Tensor):
    def __new__(cls, x):
        return eval("x.as_subclass(cls)")


def case_result_that_is_marked():
    x = torch.ones(3, requires_grad=True)
    y = torch.sigmoid(x)
    marked = Marked(y)
    loss = marked.sum()
    y.mul_(2)  # error: [IPL202]
    loss.backward()
    return x.grad


def case_result_that_is_marked_apart():
    x = torch.ones(3, requires_grad=True)
    y = torch.sigmoid(x)
    marked = Marked(y)
    loss = marked.sum()
    loss.backward()
    return x.grad + y.mul(2)
