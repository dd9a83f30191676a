"""Conversions, and other ops that copy only where they must: where it is open whether they do, both ways are followed.

What is given to an `open_...` function is float32, so that a warning that rests on that comes true.
"""

import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


def open_attention_in_the_dtype_of_its_query(x):
    query = x.view(2, 2)
    scores = query @ query.transpose(-2, -1) / math.sqrt(query.size(-1))
    weights = F.softmax(scores, dim=-1, dtype=torch.float32).to(query.dtype)
    weights = F.dropout(weights, p=0.5, training=True, inplace=True)  # warning: [IPL202]
    return weights @ query


def open_attention_dropped_before_it_is_converted(x):
    query = x.view(2, 2)
    scores = (query @ query.transpose(-2, -1)).float()
    scores *= 0.5
    weights = F.softmax(scores, dim=-1).to(query.dtype)
    return F.dropout(weights, p=0.5) @ query


def open_weights_typed_as_scores(x):
    scores = x * 2
    weights = F.softmax(scores.float(), dim=-1).type_as(scores)
    weights.mul_(torch.ones_like(x))  # warning: [IPL202]
    return weights


def open_gate_normalized_in_full_precision(x):
    gate = torch.sigmoid(x)
    weights = gate.float()
    weights /= weights.sum(-1, keepdim=True)  # warning: [IPL202]
    return x * weights


def open_gate_of_half_precision(x):
    gate = torch.sigmoid(x)
    weights = gate.half()
    weights /= 2
    return weights


def open_gate_copied(x):
    gate = torch.sigmoid(x)
    weights = gate.to(torch.float32, copy=True)
    weights /= 2
    return x * weights


def open_gate_on_the_device_of_another(x):
    gate = torch.exp(x).to(x.device)
    gate.clamp_(max=2.0)  # warning: [IPL202]
    return gate


def open_gate_made_contiguous(x: torch.Tensor):
    rows = x.contiguous()
    rows = rows + 1
    kept = rows.exp()
    rows = kept.contiguous()
    rows += 1  # warning: [IPL202]
    return rows


def open_mean_taken_off(x):
    x = x.float()
    y = x - x.mean()
    y /= 2
    return y.to(x.dtype)


def _blended(image, overlay):
    result = image.to(torch.float32)
    result.mul_(0.5)  # warning: [IPL303]
    result = result + overlay
    return result - image


def case_image_of_the_right_dtype_is_blended():
    return _blended(torch.ones(3), torch.ones(3))


def _blended_apart(image, overlay):
    result = image.to(torch.float32).clone()
    result.mul_(0.5)
    result = result + overlay
    return result - image


def case_image_of_the_right_dtype_is_blended_cured():
    return _blended_apart(torch.ones(3), torch.ones(3))


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, hidden):
        dtype = hidden.dtype
        scaled = hidden.to(torch.float32)
        scaled = scaled * torch.rsqrt(scaled.pow(2).mean(-1, keepdim=True) + 1e-6)
        scaled = scaled.to(dtype)
        scaled += 1
        return self.weight * scaled


def open_norm_shifted_before_it_is_weighed(x):
    return Norm(x.shape[-1])(x)


def open_labels_made_whole_numbers(x):
    order = x.argsort(-1).long()
    order += 1
    picked = x.argmax(-1).to(torch.int64)
    picked.add_(1)
    return x.sum() + order.sum() + picked.sum()


def open_cells_of_points(x):
    points = x * 2
    cells = points.long()
    cells[:2].clamp_(0, 8)
    return points - cells


def case_mask_becomes_weights():
    return _weighted(torch.ones(2, 3), torch.tensor([[True, False, True], [True, True, True]]))


def _weighted(rows, mask):
    weights = mask.float()
    weights /= weights.sum(1, keepdim=True)
    return rows * weights * mask


class Weights(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.5, inplace=True)  # warning: [IPL202]

    def forward(self, q, k):
        weights = torch.softmax(q @ k, -1, dtype=torch.float32)
        weights = weights.type(q.dtype)
        return self.drop(weights)


def open_weights_that_a_module_drops(x):
    query = x.view(2, 2)
    return Weights()(query, query.t())


def _dequantized(values, zero):
    whole = values.to(torch.int32)
    whole -= zero  # warning: [IPL305]
    return whole * 0.5


class _Quantized:
    def __init__(self, weight):
        self.values = torch.round(weight).to(torch.int32)

    def weight(self):
        return _dequantized(self.values, 3)


def case_what_is_whole_already_is_converted_by_a_function():
    quantized = _Quantized(torch.tensor([4.0, 7.0]))
    return quantized.weight() + quantized.weight()


def _dequantized_apart(values, zero):
    whole = values.to(torch.int32) - zero
    return whole * 0.5


def case_what_is_whole_already_is_converted_by_a_function_cured():
    values = torch.round(torch.tensor([4.0, 7.0])).to(torch.int32)
    return _dequantized_apart(values, 3) + _dequantized_apart(values, 3)


def _orthogonal(update):
    rows = update.bfloat16()
    rows.div_(rows.norm() + 1e-7)  # warning: [IPL305]
    return rows @ rows.T @ rows


@torch.no_grad()
def orthogonal_moments(p):
    """A model may be in `bfloat16`; then the moment is normalized, and not a copy of it."""
    moment = torch.zeros_like(p.grad)
    moment.lerp_(p.grad, 0.1)
    p.add_(_orthogonal(moment).to(p.dtype), alpha=-0.1)
    return moment


def _orthogonal_in_half(update):
    rows = update.half()
    rows.div_(rows.norm() + 1e-7)
    return rows @ rows.T @ rows


@torch.no_grad()
def orthogonal_moments_in_half(p):
    moment = torch.zeros_like(p.grad)
    moment.lerp_(p.grad, 0.1)
    p.add_(_orthogonal_in_half(moment).to(p.dtype), alpha=-0.1)
    return moment


def _stepped(weight, moment, rate, dtype):
    """What another dtype was found for is converted, and that copies."""
    update = moment
    if dtype != weight.dtype:
        update = moment.to(weight.dtype)
        update.mul_(rate)
    return weight - update


def stepped_twice(weight: torch.Tensor, dtype):
    moment = torch.ones_like(weight, dtype=dtype)
    return _stepped(weight, moment, 0.1, dtype) + _stepped(weight, moment, 0.1, dtype)


class Picked(nn.Module):
    """Labels are brought to where the layer is, as they come from a loader."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x, labels):
        labels = labels.to(self.layer.weight.device)
        labels[labels > 1] = -100
        return F.cross_entropy(self.layer(x), labels)


def picked_twice(picked: Picked, x, labels):
    return picked(x, labels) + picked(x, labels)


class _Volumes(torch.utils.data.Dataset):
    def __init__(self, count):
        self.data = np.zeros((count, 4)).astype(np.float32)

    def __getitem__(self, i):
        crop = self.data[i].astype(np.float32, copy=False)
        crop -= crop.mean()  # warning: [IPL304]
        return torch.from_numpy(crop)


class _CopiedVolumes(torch.utils.data.Dataset):
    def __init__(self, count):
        self.data = np.zeros((count, 4)).astype(np.float32)
        self.bytes = np.zeros((count, 4)).astype(np.uint8)

    def __getitem__(self, i):
        crop, mask = self.data[i].astype(np.float32), self.bytes[i].astype(np.float32, copy=False)
        crop -= crop.mean()
        mask -= mask.mean()
        return torch.from_numpy(crop), torch.from_numpy(mask)


class Masker:
    """Its file shows what layers are masked, and so that nothing is converted."""

    def keep_columns(self, layer, count):
        weight = layer.weight.data
        kept = torch.ones(weight.size(0))[:, None].expand_as(weight).type_as(weight)
        for column in range(count):
            kept[:, column] = torch.zeros(weight.size(0))  # warning: [IPL306]
        return kept


class MaskerOfCopies:
    def keep_columns(self, layer, count):
        weight = layer.weight.data
        kept = torch.ones(weight.size(0))[:, None].expand_as(weight).type_as(weight).clone()
        for column in range(count):
            kept[:, column] = torch.zeros(weight.size(0))
        return kept


def case_columns_kept_of_a_layer():
    return Masker().keep_columns(nn.Linear(2, 3), 1)


def case_columns_kept_of_a_layer_cured():
    return MaskerOfCopies().keep_columns(nn.Linear(2, 3), 1)
