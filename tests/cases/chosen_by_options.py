"""A layer that an option chooses: another one may save what is written beside it."""

import torch
from torch import nn


class Bounded(nn.Module):
    def __init__(self, bounded="atan"):
        super().__init__()
        if bounded == "atan":
            self.bounded = lambda x: 0.6 * torch.atan(x)
        elif bounded == "tanh":
            self.bounded = torch.tanh
        else:
            raise ValueError(bounded)


class Scaled(Bounded):
    def forward(self, x):
        return self.bounded(x).mul_(2)  # warning: [IPL202]


def open_result_that_another_layer_saves(x):
    return Scaled("tanh")(x)


class ScaledCopy(Bounded):
    def forward(self, x):
        return self.bounded(x).mul(2)


def open_result_that_another_layer_saves_cured(x):
    return ScaledCopy("tanh")(x)


class Smoothed(nn.Module):
    def __init__(self, smooth=False):
        super().__init__()
        self.activation = nn.GELU() if smooth else nn.Tanh()


class Shifted(Smoothed):
    def forward(self, x):
        y = x + 1
        out = self.activation(y)
        y.add_(1)  # warning: [IPL201]
        return out.sin() + y


def open_input_that_another_layer_saves(x):
    return Shifted(True)(x)


class ShiftedFirst(Smoothed):
    def forward(self, x):
        y = x + 1
        y.add_(1)
        return self.activation(y) + y


def open_input_that_another_layer_saves_cured(x):
    return ShiftedFirst(True)(x)


class Either(nn.Module):
    """Neither layer saves what it gives."""

    def __init__(self, bounded="atan"):
        super().__init__()
        if bounded == "atan":
            self.bounded = torch.atan
        else:
            self.bounded = torch.sin

    def forward(self, x):
        return self.bounded(x).mul_(2)


def open_neither_saves_its_result(x):
    return Either("sin")(x) + Either()(x)


class _Decay(nn.Module):
    def __init__(self, decay, learn=False):
        super().__init__()
        if learn:
            self.decay = nn.Parameter(torch.tensor(decay))
        else:
            self.register_buffer("decay", torch.tensor(decay))


class Leaky(_Decay):
    def __init__(self, decay=0.9, learn=False):
        super().__init__(decay, learn)
        self.register_buffer("level", torch.zeros(3))

    def forward(self, x):
        return self.decay.clamp_(0, 1) * self.level + x  # error: [IPL101]


def case_option_that_makes_a_parameter_of_what_is_clamped():
    return Leaky(learn=True)(torch.ones(3))


class Kept(_Decay):
    def __init__(self, decay=0.9, learn=False):
        super().__init__(decay, learn)
        self.register_buffer("level", torch.zeros(3))

    def forward(self, x):
        return self.decay.clamp(0, 1) * self.level + x

    @torch.no_grad()
    def settle(self):
        self.decay.clamp_(0, 1)


def case_option_that_makes_a_parameter_of_what_is_clamped_without_gradients():
    layer = Kept(learn=True)
    layer.settle()
    return layer(torch.ones(3))


class Tempered(nn.Module):
    """Only with both options is the factor a parameter; with one of them it is the number that it starts as."""

    def __init__(self, normed=False, learned=False):
        super().__init__()
        self.normed = normed
        self.factor = 1
        if normed and learned:
            self.factor = nn.Parameter(torch.ones(3))

    def forward(self, x):
        if self.normed:
            x = torch.nn.functional.normalize(x, dim=-1)
            x = self.factor.mul_(x)  # error: [IPL101]
        return x


def case_factor_that_two_options_make_a_parameter():
    return eval(Tempered.__name__)(True, True)(torch.ones(2, 3))


class TemperedApart(nn.Module):
    def __init__(self, normed=False, learned=False):
        super().__init__()
        self.normed = normed
        self.factor = 1
        if normed and learned:
            self.factor = nn.Parameter(torch.ones(3))

    def forward(self, x):
        if self.normed:
            x = torch.nn.functional.normalize(x, dim=-1)
            x = self.factor.mul(x)
        return x


def case_factor_that_two_options_make_a_parameter_apart():
    return eval(TemperedApart.__name__)(True, True)(torch.ones(2, 3))
