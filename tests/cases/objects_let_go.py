"""What an object keeps that nobody has any more is never read again."""

import torch
from torch import nn


class _Outcome:
    def __init__(self, previous):
        self.previous = previous


class _Solver:
    def step(self, noise, sample):
        return _Outcome(sample - noise)


def guided(sample):
    sample = sample.detach().requires_grad_(True)
    (gradient,) = torch.autograd.grad((sample * sample).sum(), sample)
    with torch.no_grad():
        sample.sub_(gradient, alpha=0.1)
    return sample.detach()


def solved(solver, sample):
    for _ in range(3):
        sample = guided(sample)
        with torch.no_grad():
            sample = solver.step(sample / 2, sample).previous
            sample.clamp_(-1, 1)
    return sample


def case_an_outcome_is_let_go():
    return solved(_Solver(), torch.ones(3))


class _Remembering:
    def __init__(self):
        self.outcomes = []

    def step_and_remember(self, noise, sample):
        self.outcomes.append(_Outcome(sample - noise))
        return self.outcomes[-1]


def solved_and_remembered(solver, sample):
    for _ in range(3):
        with torch.no_grad():
            sample = solver.step_and_remember(sample / 2, sample).previous
            sample.clamp_(-0.1, 0.1)  # warning: [IPL304]
    return torch.stack([outcome.previous for outcome in solver.outcomes])


def case_an_outcome_is_remembered():
    return solved_and_remembered(_Remembering(), torch.ones(3))


def solved_and_remembered_cured(solver, sample):
    for _ in range(3):
        with torch.no_grad():
            sample = solver.step_and_remember(sample / 2, sample).previous
            sample = sample.clamp(-0.1, 0.1)
    return torch.stack([outcome.previous for outcome in solver.outcomes])


def case_an_outcome_is_remembered_cured():
    return solved_and_remembered_cured(_Remembering(), torch.ones(3))


class _Filling:
    def __init__(self, fill):
        self.fill = fill

    def __call__(self, values):
        self.fill(values)


class _Proxies(nn.Module):
    def __init__(self):
        super().__init__()
        self.fill = _Filling(nn.init.ones_)
        self.proxies = nn.Parameter(torch.empty(3, 3))
        self.fill(self.proxies)

    def forward(self, x):
        self.proxies.data = _cast(self.proxies.data, x.dtype)
        return x @ self.proxies


def _cast(values, dtype=None):
    return values.to(dtype) if dtype is not None else values


def case_memory_is_given_to_itself():
    return _Proxies()(torch.ones(2, 3))


class _Tracker:
    def __init__(self):
        self.average = torch.zeros(())

    def __call__(self, value):
        self.average.mul_(0.5).add_(value, alpha=0.5)


class _Loop:
    def __init__(self):
        self.handlers = []

    def run(self, values):
        for value in values:
            for event, handler in self.handlers:
                if event == "done":
                    handler(value)


def case_a_handler_changes_itself():
    loop, tracker = _Loop(), _Tracker()
    loop.handlers.append(("done", tracker))
    loop.run([torch.ones(()), torch.ones(())])
    return tracker.average + 1
