"""Layers by name from a registry that its own classes look up, and attributes that a class looks up elsewhere."""

from collections import namedtuple
from collections.abc import Hashable, Mapping

import torch
from torch import nn

Component = namedtuple("Component", ("description", "value"))


def _found(key, components):
    if not isinstance(key, Hashable):
        raise ValueError(key)
    if isinstance(components, Mapping) and key.strip() in components:
        return components[key.strip()]
    raise ValueError(key)


class _Registry:
    def __init__(self):
        self.components = {}

    def add(self, name, cls):
        if not name.isidentifier():
            raise ValueError(name)
        self.components[name.upper()] = Component(cls.__doc__ or "", lambda: cls)

    def registered(self, name):
        def decorate(function):
            self.components[name.upper()] = Component(function.__doc__ or "", function)
            return function

        return decorate

    def __getitem__(self, name):
        if callable(name):
            return name
        return _found(name.upper(), self.components).value()

    def __getattr__(self, name):
        if name in self.components:
            return name
        return super().__getattribute__(name)


ACT = _Registry()
ACT.add("elu", nn.ELU)
ACT.add("relu", nn.ReLU)


@ACT.registered("leaky")
def _leaky():
    return nn.LeakyReLU


def _activation(name):
    if name == "":
        return nn.Identity()
    kind, options = name
    return ACT[kind](**options)  # error: [IPL202]


def case_layer_of_a_registry():
    h = torch.tanh(torch.ones(2, requires_grad=True))
    act = _activation(("leaky", {"inplace": True}))
    (act(h) + h).sum().backward()


def case_layer_of_a_registry_by_a_constant():
    h = torch.tanh(torch.ones(2, requires_grad=True))
    other, act = ACT[ACT.ELU](), ACT[ACT.RELU](inplace=True)  # error: [IPL202]
    (act(h) + other(h)).sum().backward()


def case_layer_of_a_registry_that_copies():
    h = torch.tanh(torch.ones(2, requires_grad=True))
    act = ACT["elu"](**{"inplace": False})
    (act(h) + h).sum().backward()
    return h


class _Wrapped(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.module, name)


def case_weight_of_what_is_wrapped():
    wrapped = _Wrapped(nn.Linear(2, 2))
    wrapped.weight.add_(1)  # error: [IPL101]


def case_weight_of_what_is_wrapped_by_hand():
    wrapped = _Wrapped(nn.Linear(2, 2))
    with torch.no_grad():
        wrapped.weight.add_(1)
    return wrapped.module.weight
