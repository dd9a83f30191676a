"""Classes and functions that a program looks up in a module by their names."""

import torch
from torch import nn


class FreeBank(nn.Module):
    def __init__(self, size=3):
        super().__init__()
        self.taps = nn.Parameter(torch.ones(size))

    def rows(self):
        return self.taps


class FixedBank(nn.Module):
    def __init__(self, size=3):
        super().__init__()
        self.taps = nn.Parameter(torch.ones(size))

    def rows(self):
        return self.taps + 1


free_bank = FreeBank


def _bank_of_globals(name, **options):
    return globals()[name](**options)


def _bank_or_none(identifier):
    if isinstance(identifier, str):
        found = globals().get(identifier)
        if found is None:
            raise ValueError(identifier)
        return found()
    return identifier


def _bank_evaluated(name):
    return eval(name)()


def _bank_found_by_going_through(wanted):
    for name, value in list(globals().items()):
        if name == wanted:
            return value()
    raise ValueError(wanted)


def case_of_globals():
    rows = _bank_of_globals("FreeBank", size=2).rows()
    rows.mul_(2)  # error: [IPL101]
    return rows


def case_of_globals_where_all_is_fixed():
    rows = _bank_of_globals("FixedBank", size=2).rows()
    rows.mul_(2)
    return rows


def case_of_an_alias():
    rows = _bank_or_none("free_bank").rows()
    rows.mul_(2)  # error: [IPL101]
    return rows


def case_evaluated():
    rows = _bank_evaluated("FreeBank").rows()
    rows.mul_(2)  # error: [IPL101]
    return rows


def case_of_going_through():
    rows = _bank_found_by_going_through("FreeBank").rows()
    rows.mul_(2)  # error: [IPL101]
    return rows


def case_none_of_that_name():
    if "LooseBank" in globals():
        rows = nn.Parameter(torch.ones(3))
    else:
        rows = torch.ones(3, requires_grad=True) + 1
    rows.mul_(2)
    return rows
