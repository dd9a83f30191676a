"""Dropout that drops nothing gives its argument itself, and many drop nothing unless they are told to."""

import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, dropout=0.0):
        super().__init__()
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        weights = x.softmax(-1)
        weights = self.drop(weights)
        weights *= 2  # warning: [IPL202]
        return weights


def open_weights_of_which_nothing_is_dropped(x):
    return eval(Attention.__name__)()(x)


class AttentionByFunction(nn.Module):
    def __init__(self, dropout=0.0):
        super().__init__()
        self.dropout = dropout

    def forward(self, x):
        weights = x.softmax(-1)
        weights = F.dropout(weights, self.dropout, self.training)
        weights *= 2  # warning: [IPL202]
        return weights


def open_weights_of_which_a_function_drops_nothing(x):
    return eval(AttentionByFunction.__name__)()(x)


class Dropping(nn.Module):
    def __init__(self, dropout=0.1):
        super().__init__()
        self.drop = nn.Dropout(dropout)
        self.dropout = dropout

    def forward(self, x):
        weights = self.drop(x.softmax(-1))
        weights *= 2
        weights = F.dropout(weights.softmax(-1), self.dropout, training=self.training)
        weights += 1
        return weights


def open_weights_of_which_some_are_dropped(x):
    return eval(Dropping.__name__)()(x)


class DroppedInPlace(nn.Module):
    def __init__(self, dropout_rate=0):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.drop = nn.Dropout(dropout_rate, inplace=True)  # error: [IPL202]

    def forward(self, x):
        return self.drop(self.linear(x).sigmoid())


def case_a_rate_that_is_written_as_an_integer():
    dropping = DroppedInPlace(0.5)
    dropping(torch.rand(2, 3)).sum().backward()
    return dropping.linear.weight.grad
