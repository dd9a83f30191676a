"""`del` of items, ranges and attributes: what is left behind is what the program goes on with."""

from collections import deque

import torch
from torch import nn


def _leaf_of_three():
    return nn.Parameter(torch.ones(3))


def case_del_leaves_a_leaf():
    rows = [torch.ones(3), _leaf_of_three()]
    del rows[0]
    rows[0].mul_(2)  # error: [IPL101]
    return rows[0]


def case_del_takes_the_leaf():
    rows = deque([_leaf_of_three(), torch.ones(3)])
    del rows[0]
    rows[0].mul_(2)
    return rows[0]


def case_del_of_a_range_leaves_a_leaf():
    rows = [torch.ones(3), torch.ones(3), _leaf_of_three()]
    del rows[:2]
    rows[0].mul_(2)  # error: [IPL101]
    return rows[0]


def case_del_of_a_range_takes_the_leaf():
    rows = [torch.ones(3), torch.ones(3), _leaf_of_three()]
    del rows[-1:]
    for row in rows:
        row.mul_(2)
    return rows[0]


def case_del_of_all():
    rows = [_leaf_of_three()]
    del rows[:]
    rows.append(torch.ones(3))
    rows[0].mul_(2)
    return rows[0]


def case_del_of_an_entry():
    rows = {"scale": _leaf_of_three(), "shift": torch.ones(3)}
    del rows["scale"]
    for row in rows.values():
        row.mul_(2)
    return rows["shift"]


class Bakeable(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = _leaf_of_three()
        self.layers = nn.ModuleList([nn.Linear(2, 2), nn.Identity()])

    def bake(self):
        scale = self.scale
        del self.scale
        self.register_buffer("scale", scale.detach().clone())

    def __delitem__(self, index):
        del self.layers[index]


def case_del_of_a_parameter():
    module = Bakeable()
    module.bake()
    module.scale.mul_(2)
    return module.scale


def case_del_of_a_layer():
    module = Bakeable()
    del module[1]
    for layer in module.layers:
        layer.weight.mul_(2)  # error: [IPL101]
    return module.scale


def case_del_of_the_layer_with_weights():
    module = Bakeable()
    del module[0]
    for layer in module.layers:
        for weight in layer.parameters():
            weight.mul_(2)
    return module.scale
