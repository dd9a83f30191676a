"""Decorators that register hooks on what a method gives."""

import functools

import torch
from torch import nn


def damped(scale):
    def hook(grad):
        return grad.mul_(scale)  # warning: [IPL404]

    return hook


def scaled(scale):
    def hook(grad):
        return grad * scale

    return hook


def on_backward(make_hook):
    def wrap(method):
        @functools.wraps(method)
        def inner(self, *args, **kwargs):
            out = method(self, *args, **kwargs)
            out.register_hook(make_hook(self.scale))
            return out

        return inner

    return wrap


class Damped(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    @on_backward(damped)
    def forward(self, x):
        return x * 2


class Scaled(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    @on_backward(scaled)
    def forward(self, x):
        return x * 2


def case_a_hook_damps_the_gradient_of_both():
    x = torch.ones(3, requires_grad=True)
    other = torch.ones(3, requires_grad=True)
    (other * 1 + Damped(0.1)(x)).square().sum().backward()
    return other.grad, x.grad


def case_a_hook_damps_the_gradient_of_both_cured():
    x = torch.ones(3, requires_grad=True)
    other = torch.ones(3, requires_grad=True)
    (other * 1 + Scaled(0.1)(x)).square().sum().backward()
    return other.grad, x.grad
