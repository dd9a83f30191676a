"""States that a call takes and gives back beside its result; who hands them to the next call differentiates both."""

from typing import Optional

import torch
from torch import nn


class LinearAttention(nn.Module):
    """Its sums are saved for the result, and the next call adds to them."""

    def forward(self, q, k, v, state: Optional[list[torch.Tensor]] = None):
        if state is None:
            sums, norms = q.new_zeros(2, 2), q.new_zeros(2)
        else:
            sums, norms = state
        norms += k  # warning: [IPL201]
        sums += torch.outer(k, v)  # warning: [IPL201]
        return (q @ sums) / (q @ norms + 1e-6), [sums, norms]


class PureLinearAttention(nn.Module):
    def forward(self, q, k, v, state: Optional[list[torch.Tensor]] = None):
        if state is None:
            sums, norms = q.new_zeros(2, 2), q.new_zeros(2)
        else:
            sums, norms = state
        norms = norms + k
        sums = sums + torch.outer(k, v)
        return (q @ sums) / (q @ norms + 1e-6), [sums, norms]


class Leaky(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor, hidden: torch.Tensor):
        hidden.mul_(0.9).add_(x)  # error: [IPL201]
        return self.gate(hidden), hidden


class LeakyStack(nn.Module):
    """What hands its state on to a part, and gives it back as well."""

    def __init__(self):
        super().__init__()
        self.leaky = Leaky()

    def forward(self, x: torch.Tensor, hidden: torch.Tensor):
        y, hidden = self.leaky(x, hidden)
        return torch.relu(y), hidden


class CachedAttention(nn.Module):
    """A cache is there to be filled."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(2, 2)

    def forward(self, q: torch.Tensor, k: torch.Tensor, cache: torch.Tensor, position: int):
        cache[:, position] = k
        return self.out(torch.softmax(q @ cache.transpose(-2, -1), -1) @ cache), cache


class ConvolutionState(nn.Module):
    """One step of generation: what was there is shifted, and replaced."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(4))

    def step(self, x: torch.Tensor, conv_state: torch.Tensor):
        conv_state.copy_(torch.roll(conv_state, shifts=-1, dims=-1))
        conv_state[..., -1] = x
        return (conv_state * self.weight).sum(-1), conv_state


class Counting(nn.Module):
    """Nothing that is differentiated has saved the sums."""

    def forward(self, x: torch.Tensor, total: torch.Tensor):
        total += x.detach().sum(0)
        return x - total, total


@torch.no_grad()
def generated(q: torch.Tensor, k: torch.Tensor, state: torch.Tensor):
    state += torch.outer(k, k)
    return q @ state, state


def normalized_(x: torch.Tensor, weight: torch.Tensor):
    """It says that it writes its argument; it gives nothing else back."""
    x -= x.mean()
    return x


class Sparse(nn.Module):
    """The state is made anew before it is given back."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor, hidden: torch.Tensor):
        hidden = hidden.clone()
        hidden.mul_(0.9).add_(x)
        return self.gate(hidden), hidden


def case_two_positions():
    torch.manual_seed(0)
    layer, x = Leaky(), torch.rand(2, 3)
    y, hidden = layer(x[0], torch.zeros(3))
    z, _ = layer(x[1], hidden)
    (y.sum() + z.sum()).backward()
    return layer.gate.weight.grad


def case_two_positions_cured():
    torch.manual_seed(0)
    layer, x = Sparse(), torch.rand(2, 3)
    y, hidden = layer(x[0], torch.zeros(3))
    z, _ = layer(x[1], hidden)
    (y.sum() + z.sum()).backward()
    return layer.gate.weight.grad
