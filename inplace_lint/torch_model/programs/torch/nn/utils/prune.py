"""Pruning: a parameter becomes its product with a mask, computed before each forward pass."""

import torch

from inplace_lint.intrinsics import surely


def _prune(module, name, mask):
    """A module that was pruned before has its mask replaced."""
    if not surely(name + "_orig" in module._parameters):
        original = getattr(module, name)
        delattr(module, name)
        setattr(module, name + "_orig", original)
    module.register_buffer(name + "_mask", mask)

    def recompute(module, inputs):
        setattr(module, name, getattr(module, name + "_mask") * getattr(module, name + "_orig"))

    recompute(module, ())
    setattr(module, name + "_hook", module.register_forward_pre_hook(recompute))
    return module


def _mask_like(module, name):
    return torch.ones_like(getattr(module, name))


def identity(module, name):
    return _prune(module, name, _mask_like(module, name))


def random_unstructured(module, name, amount):
    return _prune(module, name, _mask_like(module, name))


def l1_unstructured(module, name, amount, importance_scores=None):
    return _prune(module, name, _mask_like(module, name))


def random_structured(module, name, amount, dim):
    return _prune(module, name, _mask_like(module, name))


def ln_structured(module, name, amount, n, dim, importance_scores=None):
    return _prune(module, name, _mask_like(module, name))


def custom_from_mask(module, name, mask):
    return _prune(module, name, _mask_like(module, name) * mask)


def global_unstructured(parameters, pruning_method, importance_scores=None, **kwargs):
    for module, name in parameters:
        _prune(module, name, _mask_like(module, name))


def remove(module, name):
    """The parameter has its own name again, and the pruned values."""
    original = getattr(module, name + "_orig")
    getattr(module, name + "_hook").remove()
    with torch.no_grad():
        original.data = (getattr(module, name + "_mask") * original).data
    delattr(module, name + "_orig")
    delattr(module, name + "_mask")
    delattr(module, name)
    setattr(module, name, original)
    return module
