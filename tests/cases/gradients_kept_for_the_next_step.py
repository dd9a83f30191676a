"""A step keeps a gradient itself, which the next step of the same object clears and fills again."""

from collections import defaultdict

import torch
from torch import nn


class HeavyBall:
    def __init__(self, params, lr):
        self.params = list(params)
        self.lr = lr
        self.memory = defaultdict(dict)

    @torch.no_grad()
    def step(self):
        for p in self.params:
            if p.grad is not None:
                p.sub_(self.lr * self.update(p.grad, self.memory[p]))

    def update(self, direction, kept):
        if "ball" not in kept:
            kept["ball"] = direction
            return direction
        return kept["ball"].mul_(0.9).add_(direction)  # warning: [IPL303]

    def clear(self):
        for p in self.params:
            if p.grad is not None:
                p.grad.zero_()  # warning: [IPL304]


class Fit:
    def __init__(self, net):
        self.net = net
        self.inputs = torch.arange(6.0).reshape(2, 3)
        self.optimizer = HeavyBall(net.parameters(), 0.01)

    def one(self):
        self.optimizer.clear()
        self.net(self.inputs).pow(2).mean().backward()
        self.optimizer.step()


def case_two_steps():
    net = nn.Linear(3, 1)
    nn.init.ones_(net.weight)
    fit = Fit(net)
    fit.one()
    fit.one()
    return net.weight.detach()


class HeavyBallOfCopies:
    def __init__(self, params, lr):
        self.params = list(params)
        self.lr = lr
        self.memory = defaultdict(dict)

    @torch.no_grad()
    def step(self):
        for p in self.params:
            if p.grad is not None:
                p.sub_(self.lr * self.renewed(p.grad, self.memory[p]))

    def renewed(self, direction, kept):
        if "ball" not in kept:
            kept["ball"] = direction.clone()
            return direction
        return kept["ball"].mul_(0.9).add_(direction)

    def clear_all(self):
        for p in self.params:
            if p.grad is not None:
                p.grad.zero_()


class FitOfCopies:
    def __init__(self, net):
        self.net = net
        self.inputs = torch.arange(6.0).reshape(2, 3)
        self.optimizer = HeavyBallOfCopies(net.parameters(), 0.01)

    def one_more(self):
        self.optimizer.clear_all()
        self.net(self.inputs).pow(2).mean().backward()
        self.optimizer.step()


def case_two_steps_cured():
    net = nn.Linear(3, 1)
    nn.init.ones_(net.weight)
    fit = FitOfCopies(net)
    fit.one_more()
    fit.one_more()
    return net.weight.detach()
