"""Without a package that is neither in view nor known, a file runs what it falls back on."""

import importlib.util

import torch
from torch import nn

try:
    from fast_norms import FastNorm as Norm
except ImportError:

    class Norm(nn.Module):
        def __init__(self, dim):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(dim))

        def forward(self, hidden):
            return hidden * self.weight


try:
    import fast_attention

    HAS_FAST_ATTENTION = True
except ImportError:
    HAS_FAST_ATTENTION = False


def is_fast_npu_available():
    return importlib.util.find_spec("fast_npu") is not None


class NormedInPlace(nn.Module):
    def __init__(self, dim=4):
        super().__init__()
        self.first = nn.Linear(dim, dim)
        self.norm = Norm(dim)

    def forward(self, x):
        x = self.first(x)
        normed = self.norm(x)
        x += normed  # error: [IPL201]
        return x


class NormedAside(nn.Module):
    def __init__(self, dim=4):
        super().__init__()
        self.first = nn.Linear(dim, dim)
        self.norm = Norm(dim)

    def forward(self, x):
        x = self.first(x)
        normed = self.norm(x)
        normed += x
        return normed


class Attention(nn.Module):
    def __init__(self, dim=4):
        super().__init__()
        self.qkv = nn.Linear(dim, 3 * dim)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        if HAS_FAST_ATTENTION:
            return fast_attention.attend(q, k, v)
        weights = (q @ k.transpose(-2, -1)).softmax(-1)
        weights *= 0.5  # error: [IPL202]
        return weights @ v


class FastAttention(nn.Module):
    def __init__(self, dim=4):
        super().__init__()
        self.qkv = nn.Linear(dim, 3 * dim)

    def forward(self, x):
        if not HAS_FAST_ATTENTION:
            raise ImportError("fast_attention is missing")
        q, k, v = self.qkv(x).chunk(3, -1)
        scale = torch.sigmoid(q)
        scale.mul_(2)  # error: [IPL202]
        return fast_attention.attend(scale, k, v)


class Gated(nn.Module):
    def __init__(self, dim=4):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, hidden):
        if is_fast_npu_available() and self.weight is not None:
            import fast_npu

            return fast_npu.gated(hidden, self.weight)
        return hidden * torch.sigmoid(hidden)


class GatedInPlace(nn.Module):
    def __init__(self, dim=4):
        super().__init__()
        self.first = nn.Linear(dim, dim)
        self.gate = Gated(dim)

    def forward(self, x):
        x = self.first(x)
        gated = self.gate(x)
        x += gated  # error: [IPL201]
        return x


def case_normed_in_place():
    NormedInPlace()(torch.randn(2, 4)).sum().backward()


def case_normed_aside():
    output = NormedAside()(torch.randn(2, 4))
    output.sum().backward()
    return output


def case_attention():
    Attention()(torch.randn(1, 3, 4)).sum().backward()


def case_gated_in_place():
    GatedInPlace()(torch.randn(2, 4)).sum().backward()
