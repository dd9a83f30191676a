"""Functions named for writing, called by a variable: whoever calls them so does not see that name."""

import torch
from torch import nn


def zero_first(x):
    x[0] = 0.0  # warning: [IPL304]
    return x


class Edited(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.ones(4, 2))
        self.edits = []

    def rows(self, n):
        return self.table[:n]

    def edited(self, x):
        for edit in self.edits:
            result = edit(x)
            if result is not None:
                x = result
        return x

    def forward(self, n):
        return self.edited(self.rows(n)).sum()


@torch.no_grad()
def case_edit_of_what_a_module_keeps():
    model = Edited()
    model.edits.append(zero_first)
    model(2)
    model.edits.clear()
    return model(2)


def set_first(x):
    x = x.clone()
    x[0] = 0.0
    return x


@torch.no_grad()
def case_edit_of_what_a_module_keeps_cured():
    model = Edited()
    model.edits.append(set_first)
    model(2)
    model.edits.clear()
    return model(2)


def zero_last(x):
    x[-1] = 0.0
    return x


@torch.no_grad()
def case_function_called_by_its_own_name():
    model = Edited()
    total = zero_last(model.rows(2)).sum()
    return total, model(2)


class Updated(Edited):
    def edited(self, x):
        for update in self.edits:
            update(x)
        return x


@torch.no_grad()
def case_variable_named_for_writing():
    model = Updated()
    model.edits.append(zero_last)
    model(2)
    return model(2)


def zero_large(x):
    x[x > 1] = 0.0


@torch.no_grad()
def case_function_that_gives_nothing_back():
    values, totals = torch.rand(4) * 2, []
    for work in (zero_large, torch.sum):
        totals.append(work(values))
    return values
