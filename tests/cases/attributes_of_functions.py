"""Attributes of functions: objects, other functions and values that a file gives them, and that calls leave there."""

import torch


class _Cache:
    """Keeps what it was asked for first."""

    def __init__(self):
        self.kept = {}

    def __call__(self, x):
        if "gate" not in self.kept:
            self.kept["gate"] = torch.sigmoid(x)
        return self.kept["gate"]


def gate(x):
    return gate.cache(x)


gate.cache = _Cache()


def case_cached_by_an_object_of_the_function():
    x = torch.ones(3, requires_grad=True)
    first = gate(x)
    gate(x).mul_(2)  # error: [IPL202]
    first.sum().backward()


def scaled(x):
    return scaled.by(x, 2)  # error: [IPL202]


scaled.by = torch.Tensor.mul_


def case_another_function_of_the_function():
    y = torch.exp(torch.ones(3, requires_grad=True))
    z = scaled(y)
    z.sum().backward()


def turned(x):
    return turned.by(x, -1)


turned.by = torch.mul


def case_another_function_of_the_function_that_gives_a_new_tensor():
    x = torch.ones(3, requires_grad=True)
    turned(torch.exp(x)).sum().backward()
    return x.grad


def counted(x):
    counted.last = torch.sigmoid(x)
    return counted.last


def case_what_a_call_leaves_at_the_function():
    y = counted(torch.ones(3, requires_grad=True))
    counted.last.mul_(2)  # error: [IPL202]
    y.sum().backward()


def case_what_another_call_leaves_at_the_function():
    x = torch.ones(3, requires_grad=True)
    y = counted(x)
    counted(x * 2)
    counted.last.mul_(2)
    y.sum().backward()
    return x.grad
