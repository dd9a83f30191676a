"""Functions that a constructor makes and keeps: other methods, or callers, run them."""

import torch
from torch import nn


class Bounded(nn.Module):
    def __init__(self, bounded="atan"):
        super().__init__()
        if bounded == "atan":
            self.bounded = torch.atan
        else:
            self.bounded = lambda x: 2 * torch.sigmoid(x).sub_(0.5)  # warning: [IPL202]


def open_saved_result_is_shifted(x):
    return Bounded("sigmoid").bounded(x)


class Shifted(nn.Module):
    def __init__(self):
        super().__init__()

        def shifted(x):
            return torch.sin(x).sub_(0.5)

        self.shifted = shifted


def open_result_is_not_saved(x):
    return Shifted().shifted(x)
