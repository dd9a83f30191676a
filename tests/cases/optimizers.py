"""Optimizers: the moments that they keep, and the parameters that a step leaves alone."""

import copy

import torch
from torch import nn
from torch.optim.optimizer import _use_grad_for_differentiable


def _fitted(net, optimizer, inputs):
    optimizer.zero_grad()
    net(inputs).square().sum().backward()
    optimizer.step()  # warning: [IPL304]


def _fitted_apart(net, optimizer, inputs):
    optimizer.zero_grad()
    net(inputs).square().sum().backward()
    optimizer.step()


class _Population:
    def __init__(self, fit):
        torch.manual_seed(0)
        self.fit = fit
        self.nets = [nn.Linear(2, 1), nn.Linear(2, 1)]
        self.optimizers = [torch.optim.Adam(net.parameters(), lr=0.1) for net in self.nets]

    def train(self, inputs):
        for net, optimizer in zip(self.nets, self.optimizers, strict=True):
            self.fit(net, optimizer, inputs)


def case_population_that_shares_its_moments():
    population = _Population(_fitted)
    population.train(torch.ones(1, 2))
    winner, loser = population.optimizers
    loser.load_state_dict(winner.state_dict())
    population.train(torch.eye(2))
    population.train(torch.eye(2))
    return population.nets[1].weight


def case_population_that_shares_its_moments_cured():
    population = _Population(_fitted_apart)
    population.train(torch.ones(1, 2))
    winner, loser = population.optimizers
    loser.load_state_dict(copy.deepcopy(winner.state_dict()))
    population.train(torch.eye(2))
    population.train(torch.eye(2))
    return population.nets[1].weight


def case_optimizer_that_takes_over():
    torch.manual_seed(0)
    net = nn.Linear(2, 1)
    first = torch.optim.Adam(net.parameters(), lr=0.1)
    _fitted_apart(net, first, torch.ones(1, 2))
    second = torch.optim.Adam(net.parameters(), lr=0.01)
    second.load_state_dict(first.state_dict())
    for _ in range(2):
        _fitted_apart(net, second, torch.eye(2))
    return net.weight


def case_step_before_the_first_backward():
    net = nn.Linear(2, 1)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
    x = torch.ones(1, 2, requires_grad=True)
    y = net(x).square().sum()
    optimizer.step()
    y.backward()
    return x.grad


def case_step_with_gradients_of_frozen_parameters():
    net = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net(torch.ones(1, 2)).sum().backward()
    net.requires_grad_(False)
    x = torch.ones(1, 2, requires_grad=True)
    y = net(x).square().sum()
    optimizer.step()  # error: [IPL203]
    y.backward()


class _Friction(torch.optim.Optimizer):
    """Zeroes gradients in its own way, and keeps one from step to step."""

    def __init__(self, params):
        super().__init__(params, {"lr": 0.1})

    def zero_grad(self, set_to_none=False):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.grad.zero_()  # warning: [IPL304]

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                grad, state = p.grad, self.state[p]
                if not state:
                    state["previous"] = torch.zeros_like(p)
                p.add_((state["previous"] - grad).abs(), alpha=-group["lr"])
                state["previous"] = grad


class _FrictionOfCopies(torch.optim.Optimizer):
    def __init__(self, params):
        super().__init__(params, {"lr": 0.1})

    def zero_grad(self, set_to_none=False):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.grad.zero_()

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                grad, state = p.grad, self.state[p]
                if not state:
                    state["previous"] = torch.zeros_like(p)
                p.add_((state["previous"] - grad).abs(), alpha=-group["lr"])
                state["previous"] = grad.clone()


class _FrictionWithFreshGradients(torch.optim.Optimizer):
    def __init__(self, params):
        super().__init__(params, {"lr": 0.1})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                grad, state = p.grad, self.state[p]
                if not state:
                    state["previous"] = torch.zeros_like(p)
                p.add_((state["previous"] - grad).abs(), alpha=-group["lr"])
                state["previous"] = grad


class _Line(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.linear = nn.Linear(2, 1)


class _Centred(_Line):
    def forward(self, x):
        x -= 0.5  # warning: [IPL305]
        return self.linear(x)


class _CentredApart(_Line):
    def forward(self, x):
        return self.linear(x - 0.5)


class _CentredOnce(_Line):
    def forward(self, x):
        x -= 0.5
        return self.linear(x)


def _asked(optimizer, net, batch):
    def closure():
        optimizer.zero_grad()
        loss = (net(batch) - 1).square().sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return net.linear.weight


def case_closure_asked_several_times_in_a_step():
    net = _Centred()
    return _asked(torch.optim.LBFGS(net.parameters(), lr=0.1), net, torch.eye(2))


def case_closure_asked_several_times_in_a_step_cured():
    net = _CentredApart()
    return _asked(torch.optim.LBFGS(net.parameters(), lr=0.1), net, torch.eye(2))


def case_closure_asked_once_in_a_step():
    net = _CentredOnce()
    return _asked(torch.optim.SGD(net.parameters(), lr=0.1), net, torch.eye(2))


def case_closure_asked_for_one_iteration():
    net = _CentredOnce()
    return _asked(torch.optim.LBFGS(net.parameters(), lr=0.1, max_iter=1), net, torch.eye(2))


class _Descent(torch.optim.Optimizer):
    def __init__(self, params):
        super().__init__(params, {"differentiable": False})

    @_use_grad_for_differentiable
    def step(self, closure=None):
        for group in self.param_groups:
            for param in group["params"]:
                param.add_(param.grad, alpha=-0.1)


def case_step_that_is_not_differentiable():
    param = torch.zeros(3, requires_grad=True)
    optimizer = _Descent([param])
    ((param - 1) ** 2).sum().backward()
    optimizer.step()
    return param.detach().clone()


class ListedSteps:
    def __init__(self, params):
        self.params = params

    @torch.no_grad()
    def step(self):
        for p in self.params:
            p.mul_(0.5)


class ListedAverage:
    def __init__(self, params):
        self.live = list(params)
        self.shadow = [p.detach().clone() for p in self.live]

    @torch.no_grad()
    def update(self):
        for s, p in zip(self.shadow, self.live, strict=True):
            s.sub_((s - p).mul_(0.1))


def case_an_average_of_listed_parameters():
    params = list(torch.nn.Linear(2, 1).parameters())
    steps, average = ListedSteps(params), ListedAverage(params)
    for _ in range(2):
        steps.step()
        average.update()
    return average.shadow[0]
