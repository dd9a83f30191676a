"""Checkpointing runs a function twice; what it writes, it writes twice."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x):
        self.calls += 1  # warning: [IPL405]
        return x.sigmoid()


def case_buffer_written_twice():
    layer = Counting()
    x = torch.ones(3, requires_grad=True)
    checkpoint(layer, x, use_reentrant=False).sum().backward()
    return layer.calls


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x):
        return x.sigmoid()


def case_buffer_written_twice_cured():
    layer = Plain()
    x = torch.ones(3, requires_grad=True)
    layer.calls += 1
    checkpoint(layer, x, use_reentrant=False).sum().backward()
    return layer.calls


def local_writes(x):
    h = x * 2
    h += 1
    h.relu_()
    return h.sigmoid()


def case_own_tensors_written():
    x = torch.ones(3, requires_grad=True)
    checkpoint(local_writes, x, use_reentrant=False).sum().backward()
    return x.grad


def saves_its_argument(x):
    return x.square().exp()


def case_argument_written_after_the_call():
    x = torch.ones(3, requires_grad=True)
    h = x * 2
    y = checkpoint(saves_its_argument, h, use_reentrant=False)
    h += 1  # error: [IPL201]
    y.sum().backward()
    return x.grad
