"""Positions and counts are whole numbers: dividing by them saves nothing."""

import torch


def case_divided_by_counts():
    x = torch.ones(4, requires_grad=True)
    sums = torch.zeros(4) + x
    _, counts = torch.unique_consecutive(torch.tensor([0, 0, 1, 2, 3]), return_counts=True)
    sums[:] = sums / counts
    sums.sum().backward()
    return x.grad


def case_divided_by_a_scale():
    x = torch.ones(4, requires_grad=True)
    scale = torch.full((4,), 2.0, requires_grad=True)
    sums = torch.zeros(4) + x
    sums[:] = sums / scale  # error: [IPL201]
    sums.sum().backward()
    return x.grad


def case_divided_by_a_scale_cured():
    x = torch.ones(4, requires_grad=True)
    scale = torch.full((4,), 2.0, requires_grad=True)
    sums = torch.zeros(4) + x
    sums = sums / scale
    sums.sum().backward()
    return x.grad
