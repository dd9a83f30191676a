"""Comparisons, containment, truth and numbers as classes of the program define them."""

import torch
from torch import nn


class Version:
    def __init__(self, number):
        self.number = number

    def __eq__(self, other):
        if not isinstance(other, Version):
            return NotImplemented
        return self.number == other.number

    def __lt__(self, other):
        return self.number < other.number

    def __bool__(self):
        return self.number > 0

    def __contains__(self, number):
        return number <= self.number

    def __int__(self):
        return self.number

    __hash__ = None


class Shelf:
    def __init__(self, *items):
        self.items = list(items)

    def __len__(self):
        return len(self.items)


def _weight_if(needed):
    return nn.Parameter(torch.ones(3)) if needed else torch.ones(3)


def case_equal_versions():
    row = _weight_if(Version(1) == Version(1))
    row.mul_(2)  # error: [IPL101]
    return row


def case_versions_that_differ():
    row = _weight_if(Version(1) == Version(2))
    row.mul_(2)
    return row


def case_not_equal_by_what_equal_says():
    row = _weight_if(Version(1) != Version(2))
    row.mul_(2)  # error: [IPL101]
    return row


def case_a_version_and_a_number():
    row = _weight_if(Version(1) == 1)
    row.mul_(2)
    return row


def case_greater_by_what_less_says():
    row = _weight_if(Version(2) > Version(1))
    row.mul_(2)  # error: [IPL101]
    return row


def case_not_greater():
    row = _weight_if(Version(1) > Version(2))
    row.mul_(2)
    return row


def case_a_true_object():
    row = _weight_if(Version(1))
    row.mul_(2)  # error: [IPL101]
    return row


def case_a_false_object():
    row = _weight_if(Version(0))
    row.mul_(2)
    return row


def case_a_shelf_with_items():
    row = _weight_if(Shelf(1))
    row.mul_(2)  # error: [IPL101]
    return row


def case_an_empty_shelf():
    row = _weight_if(not Shelf(1) or Shelf())
    row.mul_(2)
    return row


def case_contained():
    row = _weight_if(1 in Version(2))
    row.mul_(2)  # error: [IPL101]
    return row


def case_not_contained():
    row = _weight_if(1 not in Version(2))
    row.mul_(2)
    return row


def case_number_of_an_object():
    row = _weight_if(int(Version(2)) == 1)
    row.mul_(2)
    return row


def case_layers_by_name():
    layers = nn.ModuleDict({"first": nn.Identity()})
    row = _weight_if("second" in layers or nn.ModuleList())
    row.mul_(2)
    return row


def case_layers_of_that_name():
    layers = nn.ModuleDict({"first": nn.Identity()})
    row = _weight_if("first" in layers)
    row.mul_(2)  # error: [IPL101]
    return row
