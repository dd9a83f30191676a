"""Loops that tell the second turn from the others: what happens in a later one is seen, too."""

import torch
from torch import nn


class Split(nn.Module):
    def __init__(self, width, scale=4):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(width, width) for _ in range(scale - 1))
        self.scale = scale

    def forward(self, x):
        outs = []
        for i, part in enumerate(torch.chunk(x, self.scale, dim=1)):
            if i == 0:
                out = part
            elif i == 1:
                out = self.blocks[i - 1](part)
            else:
                out = self.blocks[i - 1](out.add_(part))  # warning: [IPL304]
            outs.append(out)
        return torch.cat(outs, dim=1)


def case_block_that_adds_what_it_has_given():
    torch.manual_seed(0)
    return Split(2)(torch.ones(1, 8)).detach()


class SplitApart(nn.Module):
    def __init__(self, width, scale=4):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(width, width) for _ in range(scale - 1))
        self.scale = scale

    def forward(self, x):
        outs = []
        for i, part in enumerate(torch.chunk(x, self.scale, dim=1)):
            if i == 0:
                out = part
            elif i == 1:
                out = self.blocks[i - 1](part)
            else:
                out = self.blocks[i - 1](out + part)
            outs.append(out)
        return torch.cat(outs, dim=1)


def case_block_that_adds_what_it_has_given_cured():
    torch.manual_seed(0)
    return SplitApart(2)(torch.ones(1, 8)).detach()


def sums(rows, count):
    kept = []
    for turn in range(count):
        if turn <= 1:
            total = rows[turn] * 2
        else:
            total.add_(rows[turn])  # warning: [IPL304]
        kept.append(total)
    return torch.stack(kept)


def case_total_from_the_third_turn_on():
    return sums(torch.ones(4, 2), 4)


def sums_apart(rows, count):
    kept = []
    for turn in range(count):
        if turn <= 1:
            total = rows[turn] * 2
        else:
            total = total + rows[turn]
        kept.append(total)
    return torch.stack(kept)


def case_total_from_the_third_turn_on_cured():
    return sums_apart(torch.ones(4, 2), 4)


def case_second_turn_as_the_others():
    total, out = torch.zeros(2), 0
    for turn in range(4):
        if turn != 1:
            total.add_(turn)
        out = out + total.sum()
    return out
