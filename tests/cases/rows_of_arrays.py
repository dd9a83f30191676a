"""Rows of a NumPy array are tied together by nobody: autograd knows of tensors only."""

import numpy as np
import torch
from torch import nn


def moved(rows, by: torch.Tensor):
    """It is called elsewhere."""
    first, second = np.array(rows)[:, :2].copy().T
    first -= by[0]
    second[0] = by[0]
    for row in np.array(rows):
        row -= by[0]
    return first, second


def case_rows_of_an_array():
    rows, by = np.array([[1.0, 2.0], [3.0, 4.0]]), torch.ones(2)
    first, second = rows.copy().T
    first -= by[0].item()
    second[0] = by[0]
    for row in rows:
        row -= by.numpy()
    return torch.from_numpy(first + second + rows)


def open_rows_of_a_tensor_on_an_array(x: torch.Tensor):
    first, second = torch.from_numpy(np.ones((2, 4), dtype=np.float32))
    first -= x  # warning: [IPL103]
    return first + second


def open_rows_of_a_tensor(x: torch.Tensor):
    for row in torch.ones(2, 4):
        row -= x  # warning: [IPL103]
    return x * 2


class _Lattice(nn.Module):
    def __init__(self, units):
        super().__init__()
        weights = torch.tensor(np.linspace(0.0, 1.0, 4))
        self.kernel = nn.Parameter(weights.view(-1, 1).repeat(1, units))

    def forward(self, x):
        return x @ self.kernel.mul_(2)  # error: [IPL101]


def case_parameter_of_a_tensor_of_an_array():
    return _Lattice(2)(torch.ones(4, dtype=torch.float64))


def drawn(draws):
    store = np.empty((draws, 3))
    sink = torch.from_numpy(store)
    place = torch.zeros(3, dtype=torch.float64)
    for i in range(draws):
        place = place + i
        sink[i] = place
    return store


def case_an_array_that_is_filled_as_a_tensor():
    return torch.from_numpy(drawn(3)).mean(0)


def case_positions_in_a_tuple():
    values = np.arange(3.0)
    found = np.where(values > 0)
    kept = [found]
    found += found
    return torch.from_numpy(kept[0][0]).float() * len(kept[0])
