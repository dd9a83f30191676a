"""Weights that two modules have, and what one of them does to them."""

import torch
from torch import nn
from torch.nn import functional as F


class Low(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(size, 3))
        self.a, self.b = nn.Parameter(torch.rand(1, 3)), nn.Parameter(torch.rand(size, 1))


class Table(Low):
    def merge(self):
        self.weight.data += self.b @ self.a  # warning: [IPL304]

    def forward(self, places):
        return F.embedding(places, self.weight)


class Head(Low):
    def merge(self):
        delta = self.b @ self.a
        with torch.no_grad():
            self.weight.add_(delta)

    def forward(self, x):
        return F.linear(x, self.weight)


def case_merged_by_both():
    table, head = Table(5), Head(5)
    head.weight = table.weight
    table.merge()
    return head(table(torch.arange(2)))


class UntiedTable(Low):
    def merge(self):
        self.weight.data += self.b @ self.a

    def forward(self, places):
        return F.embedding(places, self.weight)


def case_merged_by_both_cured():
    table, head = UntiedTable(5), Head(5)
    head.weight = nn.Parameter(table.weight.detach().clone())
    table.merge()
    return head(table(torch.arange(2)))


class Adapted(Low):
    def __init__(self, size):
        super().__init__(size)
        self.merged = False

    def train(self, mode=True):
        super().train(mode)
        if not mode and not self.merged:
            self.weight.data += self.b @ self.a  # warning: [IPL304]
            self.merged = True
        return self

    def forward(self, x):
        if self.merged:
            return x @ self.weight.t()
        return x @ (self.weight + self.b @ self.a).t()


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.outer = Adapted(3), Adapted(3)
        self.outer.weight = self.inner.weight

    def forward(self, x):
        return self.outer(self.inner(x))


def case_merged_for_evaluation():
    pair = Pair()
    pair.eval()
    return pair(torch.ones(2, 3))


class Separate(Low):
    def __init__(self, size):
        super().__init__(size)
        self.merged = None

    def train(self, mode=True):
        super().train(mode)
        self.merged = None if mode else self.weight.detach() + self.b @ self.a
        return self

    def forward(self, x):
        if self.merged is not None:
            return x @ self.merged.t()
        return x @ (self.weight + self.b @ self.a).t()


class PairOfSeparate(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.outer = Separate(3), Separate(3)
        self.outer.weight = self.inner.weight

    def forward(self, x):
        return self.outer(self.inner(x))


def case_merged_for_evaluation_cured():
    pair = PairOfSeparate()
    pair.eval()
    return pair(torch.ones(2, 3))


class Averaged(Low):
    def __init__(self, size):
        super().__init__(size)
        self.register_buffer("average", torch.rand(size, 3))

    @torch.no_grad()
    def pull(self):
        self.weight.lerp_(self.average, 0.1)

    def forward(self, x):
        return x @ self.weight.t()


def case_pulled_to_an_average():
    first, second = Averaged(3), Averaged(3)
    second.weight = first.weight
    first.pull()
    return second(first(torch.ones(3)))


@torch.no_grad()
def stepped(layer):
    layer.weight.sub_(layer.weight * 0.1)


def case_one_step_for_both():
    first, second = nn.Linear(3, 3), nn.Linear(3, 3)
    second.weight = first.weight
    stepped(first)
    return second(first(torch.ones(3)))


class Wrapped(nn.Module):
    def __init__(self, base):
        super().__init__()
        self.base = base
        self.a, self.b = nn.Parameter(torch.rand(1, 3)), nn.Parameter(torch.rand(5, 1))

    def delta(self):
        return self.b @ self.a

    @torch.no_grad()
    def merge(self):
        self.base.weight += self.delta()  # warning: [IPL304]
        return self.base


class Words(nn.Module):
    def __init__(self, wrap):
        super().__init__()
        self.table, self.head = nn.Embedding(5, 3), nn.Linear(3, 5, bias=False)
        self.head.weight = self.table.weight
        self.head = wrap(self.head)
        self.head = self.head.merge()

    def forward(self, places):
        return self.head(self.table(places))


def case_wrapper_merges_into_what_it_wraps():
    return Words(Wrapped)(torch.arange(2))


class WrappedApart(nn.Module):
    def __init__(self, base):
        super().__init__()
        self.base = base
        self.a, self.b = nn.Parameter(torch.rand(1, 3)), nn.Parameter(torch.rand(5, 1))

    @torch.no_grad()
    def merge(self):
        self.base.weight = nn.Parameter(self.base.weight + self.b @ self.a)
        return self.base


def case_wrapper_merges_into_what_it_wraps_cured():
    return Words(WrappedApart)(torch.arange(2))


class Shifted(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.head = nn.Embedding(5, 3), nn.Linear(3, 5, bias=False)
        self.head.weight = self.table.weight
        self.shift = nn.Parameter(torch.rand(3))

    @torch.no_grad()
    def merge(self):
        self.table.weight += self.shift

    def forward(self, places):
        return self.head(self.table(places))


def case_model_that_has_both():
    model = Shifted()
    model.merge()
    return model(torch.arange(2))
