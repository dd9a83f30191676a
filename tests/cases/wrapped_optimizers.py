"""The parameter groups of a wrapped optimizer are kept to update the parameters, wherever it was made."""

from collections import defaultdict

import torch


class Wrapped(torch.optim.Optimizer):
    """It is made and used elsewhere."""

    def __init__(self, base, every=2):
        self.base, self.every = base, every
        self.param_groups = self.base.param_groups
        self.state = defaultdict(dict)
        for group in self.param_groups:
            group["steps"] = 0
        self.defaults = {"every": every, **base.defaults}

    def _average(self, group):
        for p in group["params"]:
            state = self.state[p]
            if "slow" not in state:
                state["slow"] = torch.clone(p.data).detach()
            slow = state["slow"]
            p.data.mul_(0.5).add_(slow, alpha=0.5)
            slow.data.copy_(p)

    def step(self, closure=None):
        loss = self.base.step(closure=closure)
        for group in self.param_groups:
            if group["steps"] == 0:
                self._average(group)
            group["steps"] = (group["steps"] + 1) % self.every
        return loss


class WrappedWithoutCopies(torch.optim.Optimizer):
    """It is made and used elsewhere, too."""

    def __init__(self, base):
        self.base, self.slow = base, {}
        self.param_groups = self.base.param_groups

    def _average(self, group):
        for p in group["params"]:
            if p not in self.slow:
                self.slow[p] = p.data
            slow = self.slow[p]
            p.data.mul_(0.5).add_(slow, alpha=0.5)  # warning: [IPL303]

    def step(self, closure=None):
        loss = self.base.step(closure=closure)
        for group in self.param_groups:
            self._average(group)
        return loss
