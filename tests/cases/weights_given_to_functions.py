"""Functions that change the weights that they are given: for a value of their own, or for those who hold them."""

import torch
from torch import nn


def limited(weight):
    weight.clamp_(-0.1, 0.1)  # warning: [IPL304]
    return weight


def case_limited():
    layer = nn.Linear(2, 2)
    norm = limited(layer.weight.data).norm()
    return layer(torch.ones(2)) / norm


def limited_copy(weight):
    return weight.clamp(-0.1, 0.1)


def case_limited_cured():
    layer = nn.Linear(2, 2)
    norm = limited_copy(layer.weight.data).norm()
    return layer(torch.ones(2)) / norm


def orthogonal(weight):
    weight.normal_(0, 0.1)
    return weight


def case_drawn_anew():
    layer = nn.Linear(2, 2)
    norm = orthogonal(layer.weight.data).norm()
    return layer(torch.ones(2)) / norm


def limit_(weight):
    weight.clamp_(-0.1, 0.1)
    return weight


def case_says_that_it_writes():
    layer = nn.Linear(2, 2)
    norm = limit_(layer.weight.data).norm()
    return layer(torch.ones(2)) / norm


def norm_when_limited(weight):
    weight.clamp_(-0.1, 0.1)
    return weight.norm()


def case_norm_after_a_change():
    layer = nn.Linear(2, 2)
    norm = norm_when_limited(layer.weight.data)
    return layer(torch.ones(2)) / norm


@torch.no_grad()
def decayed(*layers):
    weights = [layer.weight for layer in layers]
    for weight in weights:
        weight.mul_(0.9)
    return sum(weight.norm() for weight in weights)


def case_norm_of_decayed_weights():
    layer = nn.Linear(2, 2)
    kept = [layer.weight]
    norm = decayed(layer)
    return kept[0].detach() / norm


@torch.no_grad()
def decayed_weights(*layers):
    weights = [layer.weight for layer in layers]
    for weight in weights:
        weight.mul_(0.9)
    return weights


def case_result_is_dropped():
    layer = nn.Linear(2, 2)
    kept = [layer.weight]
    decayed_weights(layer)
    return kept[0].norm()


def case_name_of_a_weight_without_gradients():
    layer = nn.Linear(2, 2)
    kept = [layer.weight]
    with torch.no_grad():
        weight = layer.weight
        weight.clamp_(-0.1, 0.1)
        norm = weight.norm()
    return kept[0].sum() / norm


def _rounded_in_place(weight, bits):
    scale = weight.abs().max(1)[0].unsqueeze(1) / 2**bits
    weight.div_(scale).round_()
    return weight.mul_(scale)


def _rounded_by_size(weight, bits, size):
    if size == -1 or weight.shape[1] < size:
        return _rounded_in_place(weight, bits)
    return _rounded_in_place(weight, bits) + 0


@torch.no_grad()
def _round_all(model, size, bits, skip):
    for name, m in model.named_modules():
        if not isinstance(m, nn.Linear) or name in skip:
            continue
        rounded = _rounded_by_size(m.weight.data, bits, size)
        m.weight.data.copy_(rounded)


def case_rounded_weights_copied_to_where_they_are():
    net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
    _round_all(net, 2, 4, ("1",))
    return net[0].weight.detach()


class _Positions(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.weight = nn.Parameter(torch.rand(4, 2))

    def forward(self, x):
        return self.weight[: len(x)]


class _Hooked(nn.Module):
    def __init__(self, *hooks):
        super().__init__()
        self.positions, self.hooks = _Positions(), list(hooks)

    def forward(self, x):
        positions = self.positions(x)
        for hook in self.hooks:
            changed = hook(positions)
            if changed is not None:
                positions = changed
        return x + positions


def _blanked(values):
    values[:] = 0.0  # warning: [IPL304]
    return values


def _blank(values):
    return torch.zeros_like(values)


@torch.no_grad()
def _sums_without_positions(hook):
    model, x = _Hooked(hook), torch.ones(3, 2)
    without = model(x).sum()
    model.hooks.clear()
    return model(x).sum() - without


def case_hook_changes_what_a_module_gives():
    return _sums_without_positions(_blanked)


def case_hook_changes_what_a_module_gives_cured():
    return _sums_without_positions(_blank)


class _WithLimits(_Positions):
    def table(self):
        return self.weight

    @torch.no_grad()
    def limit(self):
        weight = self.table()
        weight.clamp_(0.1, 0.9)
        _halve(self.table())
        return self.weight.norm()


def _halve(weight):
    weight *= 0.5
    return weight


def case_weight_of_a_method_is_limited():
    return _WithLimits().limit()


@torch.no_grad()
def _given_as_data(model, size, bits, skip):
    for name, m in model.named_modules():
        if hasattr(m, "weight") and name not in skip:
            m.weight.data = _rounded_by_size(m.weight.data, bits, size)


@torch.no_grad()
def _given_by_name(model, size, bits, skip):
    for name, m in model.named_modules():
        if hasattr(m, "weight") and name not in skip:
            rounded = _rounded_by_size(m.weight.data, bits, size)
            m.weight.data = rounded


@torch.no_grad()
def _made_anew(model, size, bits, skip):
    for name, m in model.named_modules():
        if hasattr(m, "weight") and name not in skip:
            m.weight = nn.Parameter(_rounded_by_size(m.weight.data, bits, size))


@torch.no_grad()
def _assigned_to_all(model, size, bits, skip):
    for name, m in model.named_modules():
        if hasattr(m, "weight") and name not in skip:
            m.weight.data[:] = _rounded_by_size(m.weight.data, bits, size)


def _rounded_weight_by(give):
    net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
    give(net, 2, 4, ("1",))
    return net[0].weight.detach()


def case_rounded_weights_given_as_data():
    return _rounded_weight_by(_given_as_data), _rounded_weight_by(_given_by_name)


def case_rounded_weights_are_new_parameters():
    return _rounded_weight_by(_made_anew), _rounded_weight_by(_assigned_to_all)
