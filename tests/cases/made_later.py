"""Parameters that another method than the constructor makes, and tensors that a class makes in its own way."""

import torch
from torch import nn


class Late(nn.Module):
    def __init__(self):
        super().__init__()
        self.ready = False

    def build(self, weight):
        self.magnitude = nn.Parameter(weight.norm(dim=-1), requires_grad=True)
        self.ready = True

    def forward(self, x):
        magnitude = self.magnitude
        scale = magnitude.div_(2)  # error: [IPL101]
        return x * scale


def case_parameter_that_is_built_later():
    layer = eval(Late.__name__)()
    layer.build(torch.ones(3, 3))
    return layer(torch.ones(3))


class Counted(nn.Module):
    """What is made later is no parameter everywhere."""

    def __init__(self):
        super().__init__()
        self.ready = False

    def build(self, weight, trained=False):
        if trained:
            self.level = nn.Parameter(weight)
        else:
            self.level = weight

    def forward(self, x):
        self.level.mul_(0.5)
        return x * self.level


def case_buffer_that_is_built_later():
    layer = eval("Counted")()
    layer.build(torch.ones(3))
    return layer(torch.ones(3))


class Rotation(torch.Tensor):
    def __new__(cls, *data, kind=None):
        tensor = data[0] if isinstance(data[0], torch.Tensor) else torch.tensor(data)
        return torch.Tensor.as_subclass(tensor, Rotation)

    def __init__(self, *data, kind=None):
        self.kind = kind


def case_tensor_that_its_class_makes():
    angle = torch.ones(3, requires_grad=True)
    c, s = (angle * 0.5).cos(), (angle * 0.5).sin()
    turned = torch.stack([s * c, c.mul_(s)])  # error: [IPL201]
    Rotation(turned, kind="half").sum().backward()
    return angle.grad


def case_tensor_that_its_class_makes_cured():
    angle = torch.ones(3, requires_grad=True)
    c, s = (angle * 0.5).cos(), (angle * 0.5).sin()
    turned = torch.stack([s * c, c * s])
    Rotation(turned, kind="half").sum().backward()
    return angle.grad


def case_parameter_that_is_cast_back():
    scale = nn.Parameter(torch.ones(3))
    y = scale * torch.ones(3)
    scale.data = scale.to(torch.float64)
    return y


def case_parameter_that_is_replaced():
    scale = nn.Parameter(torch.full((3,), 2.0))
    y = scale * scale
    scale.data = scale.data * 2  # warning: [IPL401]
    y.sum().backward()
    return scale.grad


def case_parameter_that_is_replaced_cured():
    scale = nn.Parameter(torch.full((3,), 2.0))
    y = scale * scale
    y.sum().backward()
    scale.data = scale.data * 2
    return scale.grad
