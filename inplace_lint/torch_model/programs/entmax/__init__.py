"""entmax: sparse relatives of softmax, whose backward needs the result."""

import torch
from torch import nn


class _Sparse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores):
        result = scores.softmax(-1)
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad):
        (result,) = ctx.saved_tensors
        return grad * result


def sparsemax(X, dim=-1, k=None, return_support_size=False):
    return _Sparse.apply(X)


def entmax15(X, dim=-1, k=None, return_support_size=False):
    return _Sparse.apply(X)


def sparsemax_bisect(X, dim=-1, n_iter=50, ensure_sum_one=True):
    return _Sparse.apply(X)


class Sparsemax(nn.Module):
    def __init__(self, dim=-1, k=None, return_support_size=False):
        super().__init__()

    def forward(self, X):
        return sparsemax(X)


class Entmax15(nn.Module):
    def __init__(self, dim=-1, k=None, return_support_size=False):
        super().__init__()

    def forward(self, X):
        return entmax15(X)
