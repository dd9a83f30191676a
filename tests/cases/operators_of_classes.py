"""Operators that classes define: what `a + b` and `a += b` do to the tensors that an object keeps."""

import torch


class Quaternion:
    def __init__(self, real, imaginary):
        self.real = real
        self.imaginary = imaginary

    def __mul__(self, other):
        real = torch.exp(self.real)
        real.mul_(other.real)  # error: [IPL202]
        return Quaternion(real, self.imaginary * other.imaginary)


def case_product():
    x = torch.rand(3, requires_grad=True)
    made = Quaternion(x, x) * Quaternion(torch.ones(3), x)
    made.real.sum().backward()
    return x.grad


class Negated:
    def __init__(self, at):
        self.at = at

    def __neg__(self):
        return Negated(self.at.neg_())  # error: [IPL202]


def case_opposite():
    x = torch.rand(3, requires_grad=True)
    made = -Negated(torch.tanh(x))
    made.at.sum().backward()
    return x.grad


class Reflected:
    def __init__(self, at):
        self.at = at

    def __rsub__(self, other):
        return Reflected(self.at.sub_(other))  # error: [IPL202]


def case_reflected():
    x = torch.rand(3, requires_grad=True)
    made = 1 - Reflected(torch.tanh(x))
    made.at.sum().backward()
    return x.grad


class Lowered:
    def __init__(self, at):
        self.at = at

    def __isub__(self, other):
        self.at.sub_(other)  # error: [IPL202]
        return self


def case_in_place():
    x = torch.rand(3, requires_grad=True)
    made = Lowered(torch.tanh(x))
    made -= 1
    made.at.sum().backward()
    return x.grad


class Moved:
    def __init__(self, at):
        self.at = at

    def __add__(self, other):
        return Moved((self.at * 2).add_(other))


def case_sum_of_what_nothing_saved():
    x = torch.rand(3, requires_grad=True)
    made = Moved(x) + 1
    made += 2
    made.at.sum().backward()
    return x.grad


class Pair(tuple):
    def __new__(cls, first, second):
        return super().__new__(cls, (first, second))

    def __mul__(self, other):
        first, second = self
        grown = torch.exp(first)
        grown.mul_(other)  # error: [IPL202]
        return Pair(grown, second)


def case_of_a_tuple():
    x = torch.rand(3, requires_grad=True)
    made = Pair(x, x) * 2
    made[0].sum().backward()
    return x.grad


class Sum(tuple):
    def __new__(cls, first, second):
        return tuple.__new__(cls, [first, second])

    def __add__(self, other):
        first, second = self
        return Sum(torch.exp(first).add(other), second)


def case_sum_of_a_tuple():
    x = torch.rand(3, requires_grad=True)
    made = Sum(x, x) + 2
    made[0].sum().backward()
    return x.grad
