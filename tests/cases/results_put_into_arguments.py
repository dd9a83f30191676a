"""A module puts what it has computed into what its caller has brought, who differentiates that."""

import torch
from torch import nn


class Batch:
    def __init__(self, x):
        self.x = x


class Keyed(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 2)

    def forward(self, inputs):
        x = self.lin(inputs["x"])
        v = self.lin(x)
        x.add_(v)  # error: [IPL201]
        inputs["made"] = x
        return inputs


class Named(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 2)

    def forward(self, data):
        x = self.lin(data.x)
        v = self.lin(x)
        x.add_(v)  # error: [IPL201]
        data.x = x


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 2)

    def forward(self, inputs):
        x = self.lin(inputs["x"])
        v = self.lin(x)
        x = x + v
        x.add_(1)
        inputs["made"] = x
        return inputs


def case_into_a_dictionary():
    return eval("Keyed")()({"x": torch.ones(1, 2)})["made"].sum()


def case_into_an_object():
    batch = eval("Batch")(torch.ones(1, 2))
    eval("Named")()(batch)
    return batch.x.sum()


def case_what_nothing_saved():
    return eval("Plain")()({"x": torch.ones(1, 2)})["made"].sum()
