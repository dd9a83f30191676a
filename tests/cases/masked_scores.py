"""Scores that are masked where autograd does not see it, before what is level there."""

import torch
from torch import nn


class _Attention(nn.Module):
    def __init__(self, norm, value):
        super().__init__()
        torch.manual_seed(0)
        self.score = nn.Linear(3, 1)
        self.norm = norm
        self.value = value

    def forward(self, x, mask):
        scores = self.score(x).squeeze(-1)
        scores.data.masked_fill_(mask, self.value)
        if self.norm == "softmax":
            return torch.softmax(scores, dim=-1)
        return torch.sigmoid(scores) / torch.sigmoid(scores).sum(dim=-1, keepdim=True)


class _Gate(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.score = nn.Linear(3, 1)

    def forward(self, x, mask):
        scores = self.score(x).squeeze(-1)
        scores.data.masked_fill_(mask, 1e-8)  # warning: [IPL401]
        return torch.sigmoid(scores)


class _GateCured(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.score = nn.Linear(3, 1)

    def forward(self, x, mask):
        scores = self.score(x).squeeze(-1)
        return torch.sigmoid(scores.masked_fill(mask, 1e-8))


def _gradient(net):
    x, mask = torch.arange(12.0).view(4, 3) / 12, torch.tensor([True, False, True, False])
    net(x, mask).square().sum().backward()
    return net.score.weight.grad


def case_masked_before_a_sigmoid():
    return _gradient(_Attention("sigmoid", -float("inf")))


def case_masked_before_a_softmax():
    return _gradient(_Attention("softmax", -float("inf")))


def case_set_to_little_before_a_sigmoid():
    return _gradient(_Gate())


def case_set_to_little_before_a_sigmoid_cured():
    return _gradient(_GateCured())
