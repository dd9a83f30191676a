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
