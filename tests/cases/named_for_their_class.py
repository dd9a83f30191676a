"""What a constructor is given, if it is named for a class of the file: a `collate` is a `RowCollator`."""

from collections import deque

import torch
from torch import nn


class RowCollator:
    def __init__(self):
        self.rows = torch.empty(2, 3)

    def __call__(self, samples):
        batch = self.rows[: len(samples)]
        torch.stack(samples, out=batch)  # warning: [IPL304]
        return batch


class Ahead:
    """Has batches ready before they are asked for."""

    def __init__(self, source, collate, depth=1):
        self.source, self.collate, self.depth = source, collate, depth

    def __iter__(self):
        ready = deque()
        for chunk in self.source:
            ready.append(self.collate(chunk))
            if len(ready) > self.depth:
                yield ready.popleft()
        while ready:
            yield ready.popleft()


def sums_of(batches):
    return torch.stack([batch.sum() for batch in batches])


def case_batches_made_ahead():
    source = [[torch.full((3,), float(i))] for i in range(4)]
    return sums_of(eval("Ahead(source, RowCollator())", globals(), {"source": source}))


def case_batches_made_ahead_cured():
    return torch.arange(4.0) * 3


class Loader:
    """Has one batch at a time."""

    def __init__(self, source, bundle):
        self.source, self.bundle = source, bundle

    def __iter__(self):
        for chunk in self.source:
            yield self.bundle(chunk)


class RowBundler:
    def __init__(self):
        self.rows = torch.empty(2, 3)

    def __call__(self, samples):
        batch = self.rows[: len(samples)]
        torch.stack(samples, out=batch)
        return batch


def case_batches_made_in_turn():
    source = [[torch.full((3,), float(i))] for i in range(4)]
    return sums_of(eval("Loader(source, RowBundler())", globals(), {"source": source}))


class TrapField(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("stiffness", torch.tensor([1.0, 2.0]))
        self.register_buffer("rate", torch.empty(2))

    def forward(self, state):
        self.rate.copy_(-self.stiffness * state)  # warning: [IPL303]
        return self.rate


class Integrator:
    def __init__(self, field):
        self.field = field

    def energy(self, state):
        return (self.field.stiffness * state.square()).sum()

    def slopes(self, state):
        first = self.field(state)
        second = self.field(state + first * 0.1)
        return first + second


def case_slopes_in_one_buffer():
    return eval("Integrator(TrapField())").slopes(torch.ones(2))


class NewRates(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("stiffness", torch.tensor([1.0, 2.0]))

    def forward(self, state):
        return -self.stiffness * state


def case_slopes_in_one_buffer_cured():
    return eval("Integrator(NewRates())").slopes(torch.ones(2))
