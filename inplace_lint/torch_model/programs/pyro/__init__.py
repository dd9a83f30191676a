"""Pyro: a store of parameters, or of what constraints make of them; inference calls its two programs.

What a program samples is kept, and its density computed when both programs have ended.
"""

import torch
from torch import nn

from inplace_lint.intrinsics import surely, unknown


class ParamStoreDict:
    def __init__(self):
        self._params = {}
        self._constrained = {}
        self._modules = []

    def setdefault(self, name, init, constraint=None):
        if not surely(name in self._params):
            value = init() if surely(callable(init)) else init
            self._constrained[name] = constraint is not None
            if surely(constraint is None):
                self._params[name] = value.detach().contiguous().requires_grad_()
            else:
                self._params[name] = value.detach().log().requires_grad_()
        return self[name]

    def __getitem__(self, name):
        return self._params[name] * 1 if self._constrained[name] else self._params[name]

    def __setitem__(self, name, value):
        self._params[name] = value.detach().contiguous().requires_grad_()
        self._constrained[name] = False

    def __contains__(self, name):
        return name in self._params

    def keys(self):
        return self._params.keys()

    def items(self):
        return [(name, self[name]) for name in self._params]

    def named_parameters(self):
        return self._params.items()

    def values(self):
        return [self[name] for name in self._params]

    def get_state(self):
        return {"params": dict(self._params), "constraints": unknown()}

    def clear(self):
        self._params = {}
        self._modules = []

    def _all(self):
        return list(self._params.values()) + [each for module in self._modules for each in module.parameters()]


class _Trace:
    """What runs now, and what it has sampled."""

    def __init__(self):
        self.traced = False
        self.sites = []
        self.replayed = {}

    def run(self, program, replayed, args, kwargs):
        self.traced = True
        self.sites = []
        self.replayed = replayed
        program(*args, **kwargs)
        self.traced = False
        self.replayed = {}
        return self.sites


_STORE = ParamStoreDict()
_TRACE = _Trace()


def get_param_store():
    return _STORE


def clear_param_store():
    _STORE.clear()


def param(name, init_tensor=None, constraint=None, event_dim=None):
    if surely(init_tensor is None):
        return _STORE[name] if surely(name in _STORE._params) else unknown()
    return _STORE.setdefault(name, init_tensor, constraint)


def module(name, nn_module, update_module_params=False):
    _STORE._modules.append(nn_module)
    return nn_module


def sample(name, fn, *args, obs=None, obs_mask=None, infer=None, **kwargs):
    if surely(obs is not None):
        value = obs
    elif surely(name in _TRACE.replayed):
        value = _TRACE.replayed[name]
    else:
        value = fn(*args)
    if _TRACE.traced:
        _TRACE.sites.append((name, fn, value))
    return value


def deterministic(name, value, event_dim=None):
    return value


class plate:
    def __init__(self, name, size=None, subsample_size=None, subsample=None, dim=None, *rest, **options):
        self.size = size

    def __enter__(self):
        return unknown()

    def __exit__(self, *args):
        return None

    def __iter__(self):
        yield unknown()
        yield unknown()


class SVI:
    """One step: the guide, then the model with what the guide sampled, then all densities."""

    def __init__(self, model, guide, optim, loss=None, *rest, **options):
        self.model = model
        self.guide = guide

    def _loss(self, args, kwargs):
        sampled = _TRACE.run(self.guide, {}, args, kwargs)
        given = {}
        for name, _, value in sampled:
            given[name] = value
        loss = 0.0
        for _, fn, value in _TRACE.run(self.model, given, args, kwargs):
            loss = loss - fn.log_prob(value).sum()
        for _, fn, value in sampled:
            loss = loss + fn.log_prob(value).sum()
        return loss

    def step(self, *args, **kwargs):
        loss = self._loss(args, kwargs)
        if surely(isinstance(loss, torch.Tensor)):
            loss.backward()
        optimizer = torch.optim.SGD(_STORE._all(), lr=0.01)
        optimizer.step()
        optimizer.zero_grad()
        return unknown(is_data=True)

    @torch.no_grad()
    def evaluate_loss(self, *args, **kwargs):
        self._loss(args, kwargs)
        return unknown(is_data=True)


class PyroModule(nn.Module):
    def __init__(self, name=""):
        super().__init__()
