"""Attributes that a class sets in its own way: a property with a setter, and `__setattr__`."""

import torch
from torch import nn


class _Mask:
    def __init__(self):
        self._phase = torch.zeros(3)

    @property
    def phase(self):
        return self._phase

    @phase.setter
    def phase(self, value):
        self._phase.copy_(value)  # warning: [IPL303]


def case_value_behind_a_property():
    mask = _Mask()
    first = mask.phase
    mask.phase = first + 1
    return first + mask.phase


class _MaskApart:
    def __init__(self):
        self._phase = torch.zeros(3)

    @property
    def phase(self):
        return self._phase

    @phase.setter
    def phase(self, value):
        self._phase = value.clone()


def case_value_behind_a_property_cured():
    mask = _MaskApart()
    first = mask.phase
    mask.phase = first + 1
    return first + mask.phase


class _Optics(nn.Module):
    def __init__(self):
        super().__init__()
        self._known = set()
        self.register_buffer("phase", torch.zeros(3))
        self._known.add("phase")

    def __setattr__(self, name, value):
        if name in getattr(self, "_known", ()):
            kept = getattr(self, name)
            kept.copy_(value)  # warning: [IPL303]
        else:
            super().__setattr__(name, value)


def case_buffer_that_setting_copies_into():
    mask = _Optics()
    first = mask.phase
    mask.phase = first + 1
    return first + mask.phase


class _Frozen:
    def __init__(self):
        object.__setattr__(self, "values", torch.zeros(3))

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value.clone())


def case_buffer_that_setting_copies_into_cured():
    mask = _Frozen()
    first = mask.values
    mask.values = first + 1
    return first + mask.values


def case_attribute_that_is_set_as_a_copy():
    mask, values = _Frozen(), torch.ones(3)
    mask.values = values
    values.mul_(2)
    return mask.values


class _Detached:
    """Gives a part of what is kept under another name."""

    def __set_name__(self, owner, name):
        self.kept = "_" + name

    def __get__(self, instance, owner=None):
        return getattr(instance, self.kept).detach()

    def __set__(self, instance, value):
        setattr(instance, self.kept, value)


class _Copied:
    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, instance, owner=None):
        return instance.__dict__[self.name]

    def __set__(self, instance, value):
        instance.__dict__[self.name] = value.detach().clone()


class _Gates:
    gate = _Detached()

    def __init__(self, weight):
        self.gate = torch.sigmoid(weight)

    def loss(self):
        return self._gate.sum()


def case_what_a_descriptor_gives_is_cleared():
    gates = _Gates(torch.ones(3, requires_grad=True))
    gates.gate.zero_()  # error: [IPL202]
    gates.loss().backward()


class _GatesApart:
    gate = _Copied()

    def __init__(self, weight):
        self.kept = torch.sigmoid(weight)
        self.gate = self.kept

    def loss(self):
        return self.kept.sum()


def case_what_a_descriptor_has_copied_is_cleared():
    weight = torch.ones(3, requires_grad=True)
    gates = _GatesApart(weight)
    gates.gate.zero_()
    gates.loss().backward()
    return weight.grad


class _Filling:
    def __init__(self):
        self.values = torch.zeros(3)

    def __get__(self, instance, owner=None):
        return instance.memory

    def __set__(self, instance, value):
        instance.memory.copy_(value)  # warning: [IPL303]


class _Filled:
    state = _Filling()

    def __init__(self):
        self.memory = torch.zeros(3)


def case_a_descriptor_fills_what_has_a_name():
    filled = _Filled()
    before = filled.state
    filled.state = before + 1
    return before + filled.state


class _Replacing:
    def __get__(self, instance, owner=None):
        return instance.memory

    def __set__(self, instance, value):
        instance.memory = value


class _Replaced:
    state = _Replacing()

    def __init__(self):
        self.memory = torch.zeros(3)


def case_a_descriptor_fills_what_has_a_name_cured():
    filled = _Replaced()
    before = filled.state
    filled.state = before + 1
    return before + filled.state
