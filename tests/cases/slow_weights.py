"""A second set of weights that an optimizer keeps, averages with the first, and copies back."""

import copy
from collections import defaultdict

import torch
from torch import nn


class Lookahead:
    def __init__(self, base, every=2):
        self.base, self.every = base, every
        self.param_groups = base.param_groups
        self.state = defaultdict(dict)
        for group in self.param_groups:
            group["steps"] = 0

    @torch.no_grad()
    def _average(self, group):
        for p in group["params"]:
            slow = self.state[p]["slow"]
            slow.add_(p.data - slow, alpha=0.5)  # warning: [IPL304]
            p.data.copy_(slow)

    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if "slow" not in self.state[p]:
                    self.state[p]["slow"] = p.data
        self.base.step()  # warning: [IPL304]
        for group in self.param_groups:
            group["steps"] += 1
            if group["steps"] % self.every == 0:
                self._average(group)


class LookaheadOfCopies:
    def __init__(self, base, every=2):
        self.base, self.every = base, every
        self.param_groups = base.param_groups
        self.state = defaultdict(dict)
        for group in self.param_groups:
            group["steps"] = 0

    @torch.no_grad()
    def _average(self, group):
        for p in group["params"]:
            slow = self.state[p]["slow"]
            slow.add_(p.data - slow, alpha=0.5)
            p.data.copy_(slow)

    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if "slow" not in self.state[p]:
                    self.state[p]["slow"] = p.data.clone()
        self.base.step()
        for group in self.param_groups:
            group["steps"] += 1
            if group["steps"] % self.every == 0:
                self._average(group)


def _trained(wrapper):
    torch.manual_seed(0)
    net = nn.Linear(2, 1)
    optimizer = wrapper(torch.optim.SGD(net.parameters(), lr=0.1))
    for _ in range(4):
        net.zero_grad()
        net(torch.ones(3, 2)).square().mean().backward()
        optimizer.step()
    return net.weight.detach()


def case_slow_weights_in_a_state():
    return _trained(Lookahead)


def case_slow_weights_in_a_state_cured():
    return _trained(LookaheadOfCopies)


class SlowList:
    def __init__(self, params):
        self.params = list(params)
        self.slow = [p.data for p in self.params]

    @torch.no_grad()
    def update(self):
        for p, slow in zip(self.params, self.slow, strict=True):
            slow.add_(p.data - slow, alpha=0.5)  # warning: [IPL304]
            p.data.copy_(slow)


class SlowListOfCopies:
    def __init__(self, params):
        self.params = list(params)
        self.slow = [p.data.clone() for p in self.params]

    @torch.no_grad()
    def update(self):
        for p, slow in zip(self.params, self.slow, strict=True):
            slow.add_(p.data - slow, alpha=0.5)
            p.data.copy_(slow)


def case_slow_weights_in_a_list():
    weight = nn.Parameter(torch.ones(3))
    slow = SlowList([weight])
    for _ in range(2):
        with torch.no_grad():
            weight.add_(1)  # warning: [IPL304]
        slow.update()
    return weight.detach()


def case_slow_weights_in_a_list_cured():
    weight = nn.Parameter(torch.ones(3))
    slow = SlowListOfCopies([weight])
    for _ in range(2):
        with torch.no_grad():
            weight.add_(1)
        slow.update()
    return weight.detach()


class WrittenBack:
    """What is written by another name is copied to where it is: that does nothing, and no harm."""

    def __init__(self, weight):
        self.weight = weight
        self.flat = weight.data

    @torch.no_grad()
    def decay(self):
        self.flat.mul_(0.9)
        self.weight.data.copy_(self.flat)
        return self.weight.norm()


def case_what_is_written_back_to_itself():
    weight = torch.ones(3, requires_grad=True)
    decaying = WrittenBack(weight)
    return [decaying.decay() for _ in range(2)]


class ListOfSlow:
    def __init__(self, params):
        self.params = list(params)
        self.slow = [p.data for p in self.params]

    @torch.no_grad()
    def step(self):
        for p, s in zip(self.params, self.slow):
            s.add_(p.data - s, alpha=0.5)  # warning: [IPL304]
            p.data.copy_(s)


def case_slow_weights_of_a_library_are_the_weights():
    parameter = torch.nn.Parameter(torch.ones(2))
    slow = ListOfSlow([parameter])
    for _ in range(2):
        parameter.data.mul_(3)  # warning: [IPL304]
        slow.step()
    return parameter.detach().clone()


class ListOfSlowCopies:
    def __init__(self, params):
        self.params = list(params)
        self.slow = [p.data.clone() for p in self.params]

    @torch.no_grad()
    def step(self):
        for p, s in zip(self.params, self.slow):
            s.add_(p.data - s, alpha=0.5)
            p.data.copy_(s)


def case_slow_weights_of_a_library_are_the_weights_cured():
    parameter = torch.nn.Parameter(torch.ones(2))
    slow = ListOfSlowCopies([parameter])
    for _ in range(2):
        parameter.data.mul_(3)
        slow.step()
    return parameter.detach().clone()


class TwoTargets:
    def __init__(self):
        self.actor, self.critic = nn.Linear(2, 2), nn.Linear(2, 1)
        self.slow_actor = copy.deepcopy(self.actor).requires_grad_(False)
        self.slow_critic = copy.deepcopy(self.critic).requires_grad_(False)

    @torch.no_grad()
    def follow(self):
        pairs = ((self.slow_actor, self.actor), (self.slow_critic, self.critic))
        for slow, fast in pairs:
            for old, new in zip(slow.parameters(), fast.parameters()):
                old.lerp_(new, 0.5)

    def value(self, x):
        return self.slow_critic(self.slow_actor(x))


def case_two_targets_of_pairs():
    torch.manual_seed(0)
    targets = TwoTargets()
    for _ in range(2):
        targets.value(torch.ones(2))
        targets.follow()
    return targets.value(torch.ones(2))
