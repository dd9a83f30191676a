"""Tensors of a class that derives from `Tensor` have its methods."""

import torch


class Spectrum(torch.Tensor):
    def energy(self):
        return torch.exp(self)

    def shifted(self):
        return self + 1


def made():
    x = torch.rand(3, requires_grad=True) * 1.0
    y = x.as_subclass(Spectrum).energy()
    y.mul_(2)  # error: [IPL202]
    y.sum().backward()


def harmless():
    x = torch.rand(3, requires_grad=True) * 1.0
    y = x.as_subclass(Spectrum).shifted()
    y.mul_(2)
    y.sum().backward()


def shared():
    x = torch.rand(3, requires_grad=True) * 1.0
    spectrum = x.as_subclass(Spectrum)
    y = spectrum.energy() * spectrum
    x.zero_()  # error: [IPL201]
    y.sum().backward()


class Logarithm:
    """Says what functions of PyTorch make of it."""

    def __init__(self, values):
        self.values = values

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func is torch.exp:
            return args[0].values.exp()
        if func is torch.stack:
            return torch.stack([each.values for each in args[0]])
        return NotImplemented


def decided_by_its_class():
    x = torch.rand(3, requires_grad=True) * 1.0
    y = torch.exp(Logarithm(x))
    y.mul_(2)  # error: [IPL202]
    y.sum().backward()


def decided_for_the_elements_of_a_list():
    x = (torch.rand(3, requires_grad=True) * 1.0).exp()
    both = torch.stack([Logarithm(x), Logarithm(x)])
    x.mul_(2)  # error: [IPL202]
    both.sum().backward()


def decided_and_unharmed():
    x = torch.rand(3, requires_grad=True) * 1.0
    y = torch.stack([Logarithm(x), Logarithm(x)])
    y.mul_(2)
    y.sum().backward()
