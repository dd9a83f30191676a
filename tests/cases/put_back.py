"""What was there before is put back after a trial, and read by another name."""

import torch
from torch import nn


def _quantized(weight, scale):
    weight.div_(scale).round_()
    return weight.mul_(scale)


def _best_scale(layer):
    original = layer.weight.data.clone()
    errors = []
    for scale in (0.5, 0.3):
        _quantized(layer.weight.data, scale)
        errors.append((original - layer.weight.data).square().sum())
        layer.weight.data.copy_(original)
    return torch.stack(errors).argmin()


def _scale_and_norm(layer):
    weight = layer.weight.detach()
    best = _best_scale(layer)
    return best, weight.abs().sum()


def case_weights_put_back_after_trials():
    torch.manual_seed(0)
    return _scale_and_norm(nn.Linear(3, 2))


def case_values_put_back():
    x = torch.arange(3.0)
    name = x
    before = x.clone()
    x.mul_(2)
    total = x.sum()
    x.copy_(before)
    return total, name * 1


def case_other_values_put_back():
    x = torch.arange(3.0)
    before = x.clone()
    x += 1
    name = x
    x.copy_(before)  # warning: [IPL303]
    return name * 1, x


def case_other_values_put_back_cured():
    x = torch.arange(3.0)
    before = x.clone()
    x += 1
    name = x.clone()
    x.copy_(before)
    return name * 1, x


def _filled_in_turn(step):
    values, spare = torch.arange(4.0).view(2, 2), torch.zeros(2, 2)
    total = torch.zeros(2, 2)
    for turn in range(3):
        target = spare if turn == 1 else total
        step(values, turn, target)
        values = total + 1
    return values


def case_named_for_the_result_of_an_op():
    return _filled_in_turn(lambda values, turn, target: torch.mul(values, turn + 1, out=target))


def case_named_and_scaled_by_an_op():
    total = torch.ones(3)
    scaled = total
    torch.mul(scaled, 2, out=scaled)  # warning: [IPL303]
    return total * 3, scaled


def case_named_and_scaled_by_an_op_cured():
    total = torch.ones(3)
    scaled = torch.mul(total, 2)
    return total * 3, scaled
