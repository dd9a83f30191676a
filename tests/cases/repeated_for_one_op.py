"""A list `[x] * n` that is made for one op only is gone when `x` is changed by way of another list."""

import torch
from torch import nn


class Patch(nn.Module):
    def __init__(self):
        super().__init__()
        self.patch = torch.ones(2, requires_grad=True)
        self.optimizer = torch.optim.SGD([self.patch], lr=0.1)

    def step(self, images):
        padded = torch.stack([self.patch] * len(images))
        (images + padded).square().sum().backward()
        self.optimizer.step()
        return self.patch.detach()


def case_repeated_for_stack():
    return Patch().step(torch.ones(3, 2))


def case_repeated_and_changed():
    rows = [torch.zeros(2)] * 3
    for i, row in enumerate(rows):
        row.add_(i)  # warning: [IPL306]
    return torch.stack(rows)


def case_repeated_and_changed_cured():
    rows = [torch.zeros(2) for _ in range(3)]
    for i, row in enumerate(rows):
        row.add_(i)
    return torch.stack(rows)


def case_repeated_in_a_copy():
    rows = list([torch.zeros(2)] * 3)
    rows[0].add_(1)  # warning: [IPL306]
    return torch.stack(rows)


def case_repeated_in_a_copy_cured():
    rows = [torch.zeros(2) for _ in range(3)]
    rows[0].add_(1)
    return torch.stack(rows)
