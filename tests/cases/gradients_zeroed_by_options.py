"""Gradients whose memory an option keeps, or lets go of."""

import torch
from torch import nn


class Heavy(torch.optim.Optimizer):
    def __init__(self, params, lr):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                if "velocity" not in state:
                    state["velocity"] = p.grad
                p.add_(state["velocity"], alpha=-group["lr"])


def fitted(release=True):
    model = nn.Linear(2, 1)
    nn.init.ones_(model.weight)
    optimizer = Heavy(model.parameters(), 0.1)
    for _ in range(2):
        optimizer.zero_grad(set_to_none=release)  # warning: [IPL304]
        model(torch.ones(1, 2)).square().sum().backward()
        optimizer.step()
    return model.weight.detach()


class HeavyCopy(torch.optim.Optimizer):
    def __init__(self, params, lr):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                if "velocity" not in state:
                    state["velocity"] = p.grad.clone()
                p.add_(state["velocity"], alpha=-group["lr"])


def fitted_by_copies(release=True):
    model = nn.Linear(2, 1)
    nn.init.ones_(model.weight)
    optimizer = HeavyCopy(model.parameters(), 0.1)
    for _ in range(2):
        optimizer.zero_grad(set_to_none=release)
        model(torch.ones(1, 2)).square().sum().backward()
        optimizer.step()
    return model.weight.detach()


def case_gradients_that_an_optimizer_keeps():
    torch.manual_seed(0)
    return eval("fitted")(False)


def case_gradients_that_an_optimizer_keeps_cured():
    torch.manual_seed(0)
    return eval("fitted_by_copies")(False)
