"""Contexts that a stack enters, that pass on what they are given, or that are entered and left by calls."""

from contextlib import ExitStack, closing, nullcontext

import torch
from torch import nn


def _parameter_of_ones():
    return nn.Parameter(torch.ones(3))


class Lent:
    def __init__(self, value):
        self.value = value

    def __enter__(self):
        return self.value

    def __exit__(self, *how):
        return None

    def close(self):
        self.value = None


def case_entered_by_a_stack():
    weight = _parameter_of_ones()
    with ExitStack() as stack:
        stack.enter_context(torch.no_grad())
        weight.mul_(2)
    weight.add_(1)  # error: [IPL101]
    return weight


def case_lent_by_a_stack():
    weight = _parameter_of_ones()
    with ExitStack() as stack:
        lent = stack.enter_context(Lent(weight))
        lent.mul_(2)  # error: [IPL101]
    return weight


def case_passed_on():
    weight = _parameter_of_ones()
    with nullcontext(weight) as same:
        same.mul_(2)  # error: [IPL101]
    return weight


def case_closed_afterwards():
    with closing(Lent(_parameter_of_ones())) as lent:
        lent.value.mul_(2)  # error: [IPL101]
    return lent.value


def case_entered_and_left_by_calls():
    weight, guard = _parameter_of_ones(), torch.no_grad()
    guard.__enter__()
    weight.mul_(2)
    guard.__exit__(None, None, None)
    weight.add_(1)  # error: [IPL101]
    return weight
