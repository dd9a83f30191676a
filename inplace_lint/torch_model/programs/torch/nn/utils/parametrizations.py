"""Parametrizations that PyTorch has: norms of weights, and orthogonal weights."""

import torch
from torch import nn
from torch.nn.functional import normalize
from torch.nn.utils.parametrize import register_parametrization


class _WeightNorm(nn.Module):
    def __init__(self, dim=0):
        super().__init__()
        self.dim = dim

    def forward(self, weight_g, weight_v):
        return weight_v * (weight_g / torch.norm_except_dim(weight_v, 2, self.dim))

    def right_inverse(self, weight):
        return torch.norm_except_dim(weight, 2, self.dim), weight.clone()


def weight_norm(module, name="weight", dim=0):
    return register_parametrization(module, name, _WeightNorm(dim), unsafe=True)


class _SpectralNorm(nn.Module):
    """Its vectors are written in each training pass, and used as copies."""

    def __init__(self, weight, n_power_iterations=1, dim=0, eps=1e-12):
        super().__init__()
        self.n_power_iterations = n_power_iterations
        matrix = weight.flatten(1)
        self.register_buffer("_u", normalize(torch.randn(matrix.size(0)), dim=0))
        self.register_buffer("_v", normalize(torch.randn(matrix.size(1)), dim=0))

    def forward(self, weight):
        matrix = weight.flatten(1)
        if self.training:
            with torch.no_grad():
                for _ in range(self.n_power_iterations):
                    self._u.copy_(normalize(torch.mv(matrix, self._v), dim=0))
                    self._v.copy_(normalize(torch.mv(matrix.t(), self._u), dim=0))
        u, v = self._u.clone(), self._v.clone()
        return weight / torch.vdot(u, torch.mv(matrix, v))


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    weight = getattr(module, name)
    return register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, 0, eps))


class _Orthogonal(nn.Module):
    def forward(self, weight):
        return torch.linalg.matrix_exp(weight.tril() - weight.tril().transpose(-2, -1))


def orthogonal(module, name="weight", orthogonal_map=None, *, use_trivialization=True):
    return register_parametrization(module, name, _Orthogonal(), unsafe=True)
