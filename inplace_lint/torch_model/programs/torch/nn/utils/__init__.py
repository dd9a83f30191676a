"""`torch.nn.utils`: what it takes from its own modules, and norms that are computed before each forward pass."""

import torch
from torch.nn import Parameter
from torch.nn.functional import normalize
from torch.nn.utils.convert_parameters import parameters_to_vector, vector_to_parameters


def weight_norm(module, name="weight", dim=0):
    weight = getattr(module, name)
    delattr(module, name)
    setattr(module, name + "_g", Parameter(torch.norm_except_dim(weight, 2, dim).detach()))
    setattr(module, name + "_v", Parameter(weight.detach()))

    def recompute(module, inputs):
        g, v = getattr(module, name + "_g"), getattr(module, name + "_v")
        setattr(module, name, v * (g / torch.norm_except_dim(v, 2, dim)))

    recompute(module, ())
    setattr(module, name + "_hook", module.register_forward_pre_hook(recompute))
    return module


def remove_weight_norm(module, name="weight"):
    return _removed(module, name, (name + "_g", name + "_v"))


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """The vectors are written before each training pass, and used as copies."""
    weight = getattr(module, name)
    matrix = weight.detach().flatten(1)
    delattr(module, name)
    setattr(module, name + "_orig", weight)
    setattr(module, name, weight.detach())
    module.register_buffer(name + "_u", normalize(torch.randn(matrix.size(0)), dim=0))
    module.register_buffer(name + "_v", normalize(torch.randn(matrix.size(1)), dim=0))

    def recompute(module, inputs):
        original = getattr(module, name + "_orig")
        u, v, matrix = getattr(module, name + "_u"), getattr(module, name + "_v"), original.flatten(1)
        if module.training:
            with torch.no_grad():
                for _ in range(n_power_iterations):
                    v.copy_(normalize(torch.mv(matrix.t(), u), dim=0))
                    u.copy_(normalize(torch.mv(matrix, v), dim=0))
            u, v = u.clone(), v.clone()
        setattr(module, name, original / torch.dot(u, torch.mv(matrix, v)))

    setattr(module, name + "_hook", module.register_forward_pre_hook(recompute))
    return module


def remove_spectral_norm(module, name="weight"):
    return _removed(module, name, (name + "_orig", name + "_u", name + "_v"))


def _removed(module, name, parts):
    """What was computed last is a parameter of its own from now on."""
    weight = getattr(module, name)
    getattr(module, name + "_hook").remove()
    for part in parts:
        delattr(module, part)
    delattr(module, name)
    setattr(module, name, Parameter(weight.detach()))
    return module
