"""Tables that a module computes when it is made: a call that changes one for a value of its own changes all later."""

import torch
from torch import nn


def _twice(module, *inputs):
    module(*inputs)
    return module(*inputs)


class _Rotary(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("frequencies", 1 / 10 ** (torch.arange(4) / 4))

    def forward(self, x, scale):
        frequencies = self.frequencies[: x.shape[-1]]
        frequencies /= scale  # warning: [IPL304]
        return x * frequencies


class _RotaryOutOfPlace(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("frequencies", 1 / 10 ** (torch.arange(4) / 4))

    def forward(self, x, scale):
        frequencies = self.frequencies[: x.shape[-1]] / scale
        return x * frequencies


def case_scaled_frequencies():
    return _twice(_Rotary(), torch.ones(4), 2.0)


def case_scaled_frequencies_cured():
    return _twice(_RotaryOutOfPlace(), torch.ones(4), 2.0)


class _WithPositions(nn.Module):
    def __init__(self):
        super().__init__()
        table = torch.zeros(4, 3)
        table[:, 0::2] = torch.sin(torch.arange(8.0).view(4, 2))
        self.register_buffer("table", table)


class _Positions(_WithPositions):
    def shown(self, count, padding):
        rows = self.table[:count]
        rows[padding] = 0  # warning: [IPL304]
        return rows

    def forward(self, x, padding):
        return x + self.shown(x.shape[0], padding)


class _PositionsMasked(_WithPositions):
    def forward(self, x, padding):
        return x + self.table[: x.shape[0]].masked_fill(padding.unsqueeze(-1), 0)


def _shown(module):
    module(torch.ones(2, 3), torch.tensor([True, False]))
    return module(torch.ones(2, 3), torch.tensor([False, True]))


def case_padding_in_the_table_of_positions():
    return _shown(_Positions())


def case_padding_in_the_table_of_positions_cured():
    return _shown(_PositionsMasked())


class _WithAnchors(nn.Module):
    def __init__(self):
        super().__init__()
        self.anchors = torch.tensor([[10.0, 13.0], [16.0, 30.0]])


class _Anchors(_WithAnchors):
    def forward(self, x):
        anchors = self.anchors.to(x.device)
        anchors /= 8  # warning: [IPL304]
        return x.exp() * anchors


class _AnchorsOutOfPlace(_WithAnchors):
    def forward(self, x):
        return x.exp() * (self.anchors.to(x.device) / 8)


def case_anchors_of_one_device():
    return _twice(_Anchors(), torch.zeros(2, 2))


def case_anchors_of_one_device_cured():
    return _twice(_AnchorsOutOfPlace(), torch.zeros(2, 2))


def _halved(weights):
    weights *= 0.5  # warning: [IPL305]
    return weights


class _WithRamp(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("ramp", torch.linspace(0, 1, 4))


class _Weighted(_WithRamp):
    def forward(self, x):
        return x * _halved(self.ramp)


class _WeightedOutOfPlace(_WithRamp):
    def forward(self, x):
        return x * (self.ramp * 0.5)


def case_table_that_a_function_changes():
    return _twice(_Weighted(), torch.ones(4))


def case_table_that_a_function_changes_cured():
    return _twice(_WeightedOutOfPlace(), torch.ones(4))


class _State(nn.Module):
    """Zeros, the identity, one number and random numbers are where something starts; all else is copied or filled."""

    def __init__(self):
        super().__init__()
        self.register_buffer("sums", torch.zeros(4))
        self.register_buffer("inverse", torch.eye(4))
        self.register_buffer("count", torch.tensor([0.0]))
        self.register_buffer("codes", torch.randn(4) * 0.02)
        self.register_buffer("window", torch.arange(4.0))
        self.register_buffer("scale", torch.linspace(0, 2, 4))

    def forward(self, x):
        sums, inverse, count, codes = self.sums, self.inverse, self.count, self.codes
        window, scale = self.window, self.scale
        sums += x
        inverse -= 0.1 * torch.outer(x, x)
        count += 1
        codes += 0.1 * (x - codes)
        window[0] = x[0]
        scale.clamp_(0, 1)
        copied = self.window.clone()
        copied /= 2
        return sums.sum() / count + inverse.sum() + codes.sum() + window.sum() + scale.sum() + copied.sum()


def case_states_of_a_module():
    torch.manual_seed(0)
    return _twice(_State(), torch.ones(4))


class _Average(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.linspace(0, 1, 4))

    def forward(self, x):
        mean = self.mean
        mean.mul_(0.9).add_(x, alpha=0.1)
        return x - mean


def case_average_that_starts_somewhere():
    return _twice(_Average(), torch.ones(4))


class _Counts(nn.Module):
    """What is added to under a name that nobody reads is added to for those who read it where it is kept."""

    def __init__(self):
        super().__init__()
        self.register_buffer("counts", torch.arange(4.0))

    def forward(self, x):
        counts = self.counts
        counts += x
        return x + self.counts


def case_counts():
    return _twice(_Counts(), torch.ones(4))


class _Halving(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("rates", torch.arange(4.0))

    def halve_(self, x):
        rates = self.rates
        rates /= 2
        return x * rates

    def forward(self, x):
        return self.halve_(x)


def case_method_says_that_it_writes():
    return _twice(_Halving(), torch.ones(4))


class _Cache(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.arange(4.0))

    def forward(self, x):
        cache = self.cache
        cache += x
        return x * cache


def case_cache():
    return _twice(_Cache(), torch.ones(4))


class _Normed(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.arange(4.0))

    def forward(self, x):
        weight = self.weight.data
        weight /= weight.norm() / 2
        return x * weight


def case_weight_with_a_norm():
    return _twice(_Normed(), torch.ones(4))


class _Parts(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("rates", torch.arange(4.0))

    def forward(self, x):
        part = self.rates[:2]
        part /= 2
        return x * part.sum() + self.rates[2:].sum()


def case_other_part_of_a_table():
    return _Parts()(torch.ones(4))


class _Boxes:
    """What the caller has is no table, but is changed for its owner."""

    def __init__(self, corners: torch.Tensor):
        self.corners = corners

    @property
    def shifted(self):
        moved = self.corners[:2]
        moved += self.corners[2:]
        return moved


def open_boxes_of_the_caller(x):
    return _Boxes(x).shifted * 2


class _Registering:
    def __init__(self, **tensors):
        self.table = {}
        for name, tensor in tensors.items():
            self.table[name] = tensor
            setattr(self, name, tensor)

    def step(self):
        for tensor in self.table.values():
            tensor.sub_(tensor.mul(0.5))


class _RegisteredScale(_Registering):
    def __init__(self):
        super().__init__(scale=torch.ones(2))

    def forward(self, x):
        return x * self.scale


def case_attribute_and_entry_of_one_name():
    scale = _RegisteredScale()
    scale.step()
    return scale.forward(torch.ones(2))


class _StartKept:
    def __init__(self, scale):
        self.table = {"scale": scale}
        self.start = scale

    def step(self):
        for tensor in self.table.values():
            tensor.sub_(tensor.mul(0.5))  # warning: [IPL304]

    def moved(self):
        return self.table["scale"] - self.start


def case_attribute_of_another_name():
    kept = _StartKept(torch.ones(2))
    kept.step()
    return kept.moved()


def case_attribute_of_another_name_cured():
    start = torch.ones(2)
    return start * 0.5 - start
