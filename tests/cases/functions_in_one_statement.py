"""A statement puts a tensor through a function in place, and reads it by its name once more."""

import torch


def scaled_noise(x):
    return x.sign_().mul_(x.abs().sqrt_())  # warning: [IPL302]


def scaled_noise_apart(x):
    return x.sign().mul_(x.abs().sqrt_())


def case_returned():
    x = torch.tensor([-4.0, 1.0, 9.0])
    return scaled_noise(x + 0)


def case_returned_cured():
    x = torch.tensor([-4.0, 1.0, 9.0])
    return scaled_noise_apart(x + 0)


def case_a_statement():
    x = torch.tensor([-4.0, 1.0, 9.0])
    x.sigmoid_().mul_(x)  # warning: [IPL302]
    return x


def case_a_statement_cured():
    x = torch.tensor([-4.0, 1.0, 9.0])
    x.mul_(x.sigmoid())
    return x


def case_rebound():
    x = torch.tensor([-4.0, 1.0, 9.0])
    x = x.clamp_(min=0) - x  # warning: [IPL302]
    return x


def case_rebound_cured():
    x = torch.tensor([-4.0, 1.0, 9.0])
    x = x.clamp(min=0) - x
    return x


def case_softmax():
    x = torch.tensor([-4.0, 1.0, 9.0])
    x.sub_(x.max()).exp_().div_(x.sum())
    return x


def case_normalized():
    x = torch.tensor([-4.0, 1.0, 9.0])
    return x.abs_().sub_(x.min()).div_(x.max())


def case_made_symmetric():
    w = torch.arange(9.0).view(3, 3)
    w.triu_().add_(w.triu(1).T)
    return w


def case_the_function_comes_last():
    x = torch.tensor([-4.0, 1.0, 9.0])
    y = x.abs().sqrt_().mul_(x.sign_())
    return y
