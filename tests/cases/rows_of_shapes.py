"""Shapes of views that PyTorch completes, and starred targets of shapes."""

import torch


def completed():
    x = torch.rand(4, 5, requires_grad=True)
    if x.view(-1, 2).shape[0] != 10 or x.reshape([1, -1]).size(1) != 20 or x.view(-1).shape[0] != 20:
        x.zero_()
    if x.view(2, -1).shape[1] == 10:
        x.zero_()  # error: [IPL101]


def starred():
    x = torch.rand(2, 3, 4, 5, requires_grad=True)
    batch, *others, last = x.shape
    if len(others) != 2 or others[1] != 4 or batch == last:
        x.zero_()
    if list(x.shape)[:-1] == [2, 3, 4] and len([size for size in x.shape]) == 4:
        x.zero_()  # error: [IPL101]


def by_a_tensor():
    x = torch.rand(4, 5, requires_grad=True) * 1.0
    rows = torch.prod(torch.tensor([2, 2]))
    y = x.reshape(rows, 5).exp()
    z = x.view(rows, 5).sin()
    y.mul_(2)  # error: [IPL202]
    x.zero_()  # error: [IPL201]
    return y, z


def of_numbers():
    x = torch.rand(3, requires_grad=True)
    left, right = torch.randint(0, 3, (2,)).tolist()
    amount = torch.tensor([[left, right]])
    empty = torch.tensor([[1.0], [2.0]], dtype=torch.float64)
    if amount.ndim == 2 and empty.ndim == 2 and torch.rand(1, 0, 3).cos().shape[1] == 0:
        x.zero_()  # error: [IPL101]


def by_another():
    x = torch.rand(3, requires_grad=True)
    if torch.rand(2, 3).new(5, 4, 1).ndim == 3:
        x.zero_()  # error: [IPL101]
