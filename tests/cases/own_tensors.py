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
