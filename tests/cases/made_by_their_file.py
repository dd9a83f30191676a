"""What a file itself passes where it makes objects of its classes stands for what others pass."""

import torch
from torch import nn


def make(kind, *args):
    return getattr(nn, kind)(*args)


class Network(nn.Module):
    class Block(nn.Module):
        def __init__(self, activation):
            super().__init__()
            self.activation = make(activation)
            self.dropout = nn.Dropout(0.5, inplace=True)  # error: [IPL202]

        def forward(self, x):
            return self.dropout(self.activation(x))

    def __init__(self, activation):
        super().__init__()
        self.block = Network.Block(activation)

    def forward(self, x):
        return self.block(x)

    @classmethod
    def make(cls):
        return cls(activation="Sigmoid")


def case_of_a_class_method():
    x = torch.rand(3, requires_grad=True)
    Network.make()(x * 2).sum().backward()
    return x.grad


class Linear(nn.Module):
    def __init__(self, size, activation):
        super().__init__()
        self.activation = make(activation)
        self.dropout = nn.Dropout(0.5, inplace=True)

    def forward(self, x):
        return self.dropout(self.activation(x))


def linear():
    return Linear(3, "Softplus")


def case_of_a_function():
    x = torch.rand(3, requires_grad=True)
    linear()(x * 2).sum().backward()
    return x.grad


class Shaped(nn.Module):
    """A name of the class stands for nothing inside its methods, nor in the classes inside it."""

    def make(self):
        return nn.Identity()

    class Part(nn.Module):
        def __init__(self, activation):
            super().__init__()
            self.activation = make(activation)

        def forward(self, x):
            return self.activation(x).mul_(2)  # error: [IPL202]

    def __init__(self):
        super().__init__()
        self.part = Shaped.Part("Tanh")

    def forward(self, x):
        return self.part(x)


def case_of_a_class_inside():
    x = torch.rand(3, requires_grad=True)
    Shaped()(x * 2).sum().backward()
    return x.grad
