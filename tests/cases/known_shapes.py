"""What code asks of the shape of a tensor whose sizes are known has one answer."""

import torch


def checked_dimensions():
    x = torch.rand(2, 3, requires_grad=True)
    if x.ndim != 2 or x.dim() != 2 or len(x.shape) != 2 or len(x.size()) != 2:
        x.zero_()
    if len(x) != 2 or x.numel() != 6:
        x.zero_()
    if x.ndim == 2:
        x.zero_()  # error: [IPL101]


def checked_sizes():
    x = torch.rand(2, 3, requires_grad=True)
    rows, columns = x.shape
    first, second = x.shape[-2:]
    if rows == 3 or x.shape[1] == 2 or x.size(0) == 3 or first == second:
        x.zero_()
    if columns == 3:
        x.zero_()  # error: [IPL101]


def each_row():
    x = torch.rand(2, 3, requires_grad=True)
    for i in range(x.shape[0]):
        if i == 2:
            x.zero_()
        if i == 1:
            x.zero_()  # error: [IPL101]


def unpacked(w):
    rows, columns = w.shape
    y = w.exp()
    if w.dim() == 3:
        y.mul_(2)
    return y


def one_more():
    x = torch.rand(2, 3, requires_grad=True)
    y = x.clone()
    y.unsqueeze_(0)
    if y.dim() == 3:
        x.zero_()  # error: [IPL101]


def attributes_of_python(x):
    x = torch.rand(3, requires_grad=True)
    if hasattr((3, 3), "ndim") or hasattr(1, "shape") or not hasattr([], "append"):
        x.zero_()
    if hasattr("text", "split"):
        x.zero_()  # error: [IPL101]


def compared(z):
    x = torch.rand(2, 3, requires_grad=True)
    y = x.exp()
    if x.shape != (2, 3) or x.shape[1:] != (3,) or list(x.shape) == [3, 3] or x.shape != y.shape or x.size() == (2,):
        x.zero_()
    if x.shape == [2, 3]:
        x.zero_()  # error: [IPL101]
    if x.shape == z.shape:
        x.zero_()  # error: [IPL101]
    if (z, 1) == (x.shape[0], 2):
        x.zero_()
    if (2, 3) == tuple(x.shape):
        x.zero_()  # error: [IPL101]
    if x.shape != torch.Size([2, 3]) or x.sum(0).shape != (3,) or x.mean(dim=-1).ndim != 1:
        x.zero_()
    if x.sum(1, keepdim=True).ndim == 2 and torch.Size((1, 2)) != (1, 3):
        x.zero_()  # error: [IPL101]
