"""What the way to a write tells: which attributes a layer has, what is a list, and which option was taken."""

from typing import List

import torch
from torch import nn


def is_a(layer, kind):
    return isinstance(layer, kind) or (hasattr(layer, "wrapped") and isinstance(layer.wrapped, kind))


class Cached(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(3, 3)

    def forward(self, x, cache, count):
        cache[count[0]] = x
        count[0] += 1
        return self.proj(x), cache, count


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(3, 3)

    def forward(self, x):
        return self.proj(x)


class HandsOnItsCache(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(Cached(), Plain(), Cached())

    def forward(self, x, cache, count):
        for layer in self.layers:
            if is_a(layer, Cached):
                x, cache, count = layer(x, cache, count)
            else:
                x = layer(x)
        return x


def case_only_what_gives_a_tuple_is_unpacked():
    x = torch.rand(3, 3, requires_grad=True)
    HandsOnItsCache()(x, [None, None], [0]).sum().backward()
    return x.grad


class UnpacksRows(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(Plain())

    def forward(self, x):
        for layer in self.layers:
            x, cache, count = layer(x)
            cache[0] = 1  # error: [IPL103]
        return x


def case_rows_are_no_lists():
    UnpacksRows()(torch.rand(3, 3)).sum().backward()


class ListOfLevels(nn.Module):
    def __init__(self):
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(3), nn.LayerNorm(3)])

    def forward(self, levels: List[torch.Tensor]):
        levels = levels[1:]
        for i, norm in enumerate(self.norms):
            levels[i] = norm(levels[i])
        return levels[-1]


def case_a_range_of_a_list_is_a_list():
    levels = [torch.rand(2, 3, requires_grad=True) for _ in range(3)]
    ListOfLevels()(levels).square().sum().backward()
    return levels[2].grad


class TensorOfLevels(ListOfLevels):
    def forward(self, levels: torch.Tensor):
        levels = levels[1:]
        for i, norm in enumerate(self.norms):
            levels[i] = norm(levels[i])  # error: [IPL201]
        return levels[-1]


def case_a_range_of_a_tensor_is_written():
    levels = torch.rand(3, 2, 3, requires_grad=True)
    TensorOfLevels()(levels * 2).sum().backward()


def attention(p, mode):
    if mode == "parallel":
        return p * (1 - p).cumprod(0)
    if mode == "hard":
        p *= 2
        return p * p.cumsum(0)
    return p


class TakesTheSameMode(nn.Module):
    def __init__(self, mode="parallel"):
        super().__init__()
        self.mode = mode

    def forward(self, score):
        p = (score > 0).type(score.dtype) if self.mode == "hard" else torch.sigmoid(score)
        return attention(p, self.mode)


def case_one_option_decides_twice():
    score = torch.rand(3, requires_grad=True)
    TakesTheSameMode()(score).sum().backward()
    return TakesTheSameMode("hard")(score)


def case_an_option_decides_once():
    score = torch.rand(3, requires_grad=True)
    soft_attention(torch.sigmoid(score), "hard").sum().backward()


def soft_attention(p, mode="parallel"):
    if mode == "parallel":
        return p * (1 - p).cumprod(0)
    p *= 2  # error: [IPL202]
    return p * p.cumsum(0)


def case_rows_are_listed_and_changed():
    rows = list(torch.rand(4, 3))
    total = sum_of(rows)
    change(rows)
    return total, sum_of(rows)


def sum_of(rows):
    return sum(rows[i] for i in range(4))


def change(rows):
    for i in range(4):
        rows[i] += 1


class AttendsAtSomeScales(nn.Module):
    def __init__(self, scales=[]):
        super().__init__()
        layers = []
        for scale in (1.0, 0.5):
            layers.append(Cached())
            if scale in scales:
                layers.append(Plain())
        self.layers = nn.Sequential(*layers)

    def forward(self, x, cache, count):
        for layer in self.layers:
            x, cache, count = layer(x, cache, count)
        return x


def case_what_takes_fewer_arguments_is_not_called():
    x = torch.rand(3, 3, requires_grad=True)
    AttendsAtSomeScales()(x, [None, None], [0]).sum().backward()
    return x.grad
