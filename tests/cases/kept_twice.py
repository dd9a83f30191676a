"""A tensor that an object keeps, and what an in-place op made of it as another attribute."""

import torch


class Normal:
    def __init__(self, scale):
        self.scale = scale
        self.variance = scale.pow_(2)  # warning: [IPL304]

    def entropy(self):
        return self.scale.log()


def case_variance_of_a_scale():
    return Normal(torch.full((2,), 3.0)).entropy()


class NormalOfCopies:
    def __init__(self, scale):
        self.scale = scale
        self.variance = scale.pow(2)

    def entropy(self):
        return self.scale.log()


def case_variance_of_a_scale_cured():
    return NormalOfCopies(torch.full((2,), 3.0)).entropy()


class Schedule:
    def __init__(self, betas):
        self.products = torch.cumprod(1 - betas, 0)
        self.sigmas = self.products.sqrt_()  # warning: [IPL301]

    def noised(self, x, t):
        return self.products[t] * x


def case_roots_of_products():
    return Schedule(torch.full((3,), 0.5)).noised(torch.ones(2), 1)


class ScheduleOfCopies:
    def __init__(self, betas):
        self.products = torch.cumprod(1 - betas, 0)
        self.sigmas = self.products.sqrt()

    def noised(self, x, t):
        return self.products[t] * x


def case_roots_of_products_cured():
    return ScheduleOfCopies(torch.full((3,), 0.5)).noised(torch.ones(2), 1)


class Unused:
    def __init__(self, betas):
        self.products = torch.cumprod(1 - betas, 0)
        self.sigmas = self.products.sqrt_()

    def noised(self, x, t):
        return self.sigmas[t] * x


def case_nobody_uses_the_first():
    return Unused(torch.full((3,), 0.5)).noised(torch.ones(2), 1)


class Drawn:
    def __init__(self, size):
        self.weight = torch.empty(size)
        self.start = self.weight.fill_(2.0)

    def doubled(self):
        return self.weight * 2


def case_filled_as_it_is_made():
    return Drawn(2).doubled()
