"""Callers that break what was saved, and hand the result on where nobody sees it."""

import torch
from torch import nn


def matched(source, other):
    length = source.norm(dim=-1, keepdim=True)
    wanted = other.norm(dim=-1, keepdim=True)
    scale = wanted.div_(length.clamp(min=1e-6))  # warning: [IPL202]
    return source * scale


class Injected(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def mixed(self, hidden):
        return {0: matched(hidden[-1], hidden[0])}

    def forward(self, x):
        mixed = self.mixed([x.sin(), x.cos()])

        def inject(module, args):
            return (args[0] + mixed[0],)

        handle = self.net.register_forward_pre_hook(inject)
        try:
            return self.net(x)
        finally:
            handle.remove()


def open_mix_that_a_hook_adds(x):
    return eval(Injected.__name__)(nn.Tanh())(x)


def matched_apart(source, other):
    length = source.norm(dim=-1, keepdim=True)
    wanted = other.norm(dim=-1, keepdim=True)
    scale = wanted / length.clamp(min=1e-6)
    return source * scale


class InjectedApart(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def mixed(self, hidden):
        return {0: matched_apart(hidden[-1], hidden[0])}

    def forward(self, x):
        mixed = self.mixed([x.sin(), x.cos()])

        def inject(module, args):
            return (args[0] + mixed[0],)

        handle = self.net.register_forward_pre_hook(inject)
        try:
            return self.net(x)
        finally:
            handle.remove()


def open_mix_that_a_hook_adds_cured(x):
    return eval(InjectedApart.__name__)(nn.Tanh())(x)
