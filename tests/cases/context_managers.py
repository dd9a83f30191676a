"""What `with` enters: blocks run where a generator yields, between `__enter__` and `__exit__`."""

from contextlib import contextmanager

import torch
from torch import nn


@contextmanager
def _without_gradients():
    with torch.no_grad():
        yield


def case_grad_mode_of_a_generator():
    weight = torch.ones(2, requires_grad=True)
    with _without_gradients():
        weight.add_(1.0)
    for _ in range(2):
        with _without_gradients():
            weight.mul_(2.0)
            break
    return weight.detach()


def case_grad_mode_ends_with_the_block():
    weight = torch.ones(2, requires_grad=True)
    for step in range(2):
        with _without_gradients():
            if step == 1:
                break
    weight.add_(1.0)  # error: [IPL101]
    return weight


class _Doubled:
    def __init__(self, values):
        self.values = values

    def __enter__(self):
        self.values.mul_(2)  # error: [IPL202]
        return self.values

    def __exit__(self, *reason):
        return False


def case_written_on_entering():
    x = torch.ones(2, requires_grad=True)
    h = x.exp()
    with _Doubled(h):
        pass
    h.sum().backward()
    return x.grad


class _Zeroed:
    def __init__(self, values):
        self.values = values

    def __enter__(self):
        return self

    def __exit__(self, *reason):
        self.values.zero_()  # error: [IPL201]


def _squared_inside(x):
    h = x * 1
    with _Zeroed(h):
        return h**2


def case_written_on_leaving_by_return():
    x = torch.ones(2, requires_grad=True)
    _squared_inside(x).sum().backward()
    return x.grad


class _Average:
    def __init__(self, model):
        self.model = model
        self.shadow = {name: torch.zeros_like(p) for name, p in model.named_parameters()}


class _AverageOfReferences(_Average):
    @contextmanager
    def swapped_in(self):
        backup = {name: p.data for name, p in self.model.named_parameters()}
        with torch.no_grad():
            for name, p in self.model.named_parameters():
                p.copy_(self.shadow[name])  # warning: [IPL304]
        try:
            yield self.model
        finally:
            with torch.no_grad():
                for name, p in self.model.named_parameters():
                    p.copy_(backup[name])


class _AverageOfCopies(_Average):
    @contextmanager
    def swapped_in(self):
        backup = {name: p.detach().clone() for name, p in self.model.named_parameters()}
        with torch.no_grad():
            for name, p in self.model.named_parameters():
                p.copy_(self.shadow[name])
        try:
            yield self.model
        finally:
            with torch.no_grad():
                for name, p in self.model.named_parameters():
                    p.copy_(backup[name])


def _evaluated(kind):
    torch.manual_seed(0)
    average = kind(nn.Linear(2, 2))
    with average.swapped_in() as model:
        model(torch.ones(2))
    return average.model(torch.ones(2)).detach()


def case_weights_backed_up_by_reference():
    return _evaluated(_AverageOfReferences)


def case_weights_backed_up_by_reference_cured():
    return _evaluated(_AverageOfCopies)


def _steering(direction):
    def hook(module, inputs, output):
        return output + 2.0 * direction

    return hook


@contextmanager
def _hooked(module, hook):
    handle = module.register_forward_hook(hook)
    try:
        yield
    finally:
        handle.remove()


def case_hook_with_a_parameter():
    layer, direction = nn.Linear(2, 2), nn.Parameter(torch.ones(2))
    for _ in range(2):
        with _hooked(layer, _steering(direction)):
            loss = layer(torch.ones(2)).sum()
        loss.backward()
        with torch.no_grad():
            direction /= direction.norm()
    return direction.detach()


class _Moments:
    def __init__(self):
        self.mean = {}
        self.count = 0

    def hook(self, name):
        def record(module, inputs, output):
            self.update(name, output.detach())

        return record

    def update(self, name, values):
        if name not in self.mean:
            self.mean[name] = torch.zeros(2)
        mean = self.mean[name]
        for row in values:
            self.count += 1
            mean.add_((row - mean) / self.count)


def case_moments_under_the_names_of_layers():
    layer, moments = nn.Linear(2, 2), _Moments()
    for _ in range(2):
        with _hooked(layer, moments.hook("layer")):
            layer(torch.ones(3, 2))
    return moments.mean["layer"]


@contextmanager
def rounded_meanwhile(weight):
    kept = weight.data.clone()
    weight.data.copy_(kept.round())
    try:
        yield weight
    finally:
        weight.data.copy_(kept)


def case_weight_that_is_rounded_for_a_block():
    net = torch.nn.Linear(3, 2)
    with rounded_meanwhile(net.weight) as weight:
        loss = net(torch.ones(3)).sum() + weight.sum()
        loss.backward()
    return net.weight.grad
