"""Functions that a constructor makes and keeps: other methods, or callers, run them."""

import functools

import torch
from torch import nn


class Bounded(nn.Module):
    def __init__(self, bounded="atan"):
        super().__init__()
        if bounded == "atan":
            self.bounded = torch.atan
        else:
            self.bounded = lambda x: 2 * torch.sigmoid(x).sub_(0.5)  # warning: [IPL202]


def open_saved_result_is_shifted(x):
    return Bounded("sigmoid").bounded(x)


class Shifted(nn.Module):
    def __init__(self):
        super().__init__()

        def shifted(x):
            return torch.sin(x).sub_(0.5)

        self.shifted = shifted


def open_result_is_not_saved(x):
    return Shifted().shifted(x)


TABLE = {}


def keep(name):
    def put(function):
        TABLE[name] = functools.lru_cache(maxsize=8)(function)
        return function

    return put


@keep("slopes")
def slopes(length):
    return -torch.arange(length) * torch.ones(2, 1)


def masked(valid):
    slope = TABLE["slopes"](valid.numel())
    return slope.masked_fill_(~valid, -9.0)  # warning: [IPL306]


def case_result_of_a_function_that_a_table_keeps_with_its_results():
    TABLE["slopes"].cache_clear()
    return [masked(torch.tensor(valid)).sum().item() for valid in ([True, False], [True, True])]


def masked_copy(valid):
    slope = TABLE["slopes"](valid.numel())
    return slope.masked_fill(~valid, -9.0)


def case_result_of_a_function_that_a_table_keeps_with_its_results_cured():
    TABLE["slopes"].cache_clear()
    return [masked_copy(torch.tensor(valid)).sum().item() for valid in ([True, False], [True, True])]
