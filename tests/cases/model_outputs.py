"""Models whose `forward` gives its tensors back in an object, and options that decide whether a method is called."""

from collections import OrderedDict
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Plain:
    sample: torch.Tensor
    name: str = "plain"


class Output(OrderedDict):
    def __post_init__(self):
        self["sample"] = self.sample


@dataclass
class Sample(Output):
    sample: torch.Tensor = None


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)

    def forward(self, x):
        gate = torch.sigmoid(self.linear(x))
        gate.mul_(2)  # error: [IPL202]
        return Plain(gate)


def case_an_object_with_the_result():
    Gate()(torch.ones(1, 2)).sample.sum().backward()


class Residual(nn.Module):
    def __init__(self, channels=None, groups=None):
        super().__init__()
        self.is_grouped = channels is not None and groups is not None
        if self.is_grouped:
            self.norm = nn.GroupNorm(groups, channels)
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        x = self.linear(x)
        if self.is_grouped:
            out = self._added(self.norm(x), x)
        else:
            out = x
        return Sample(sample=out)

    def _added(self, out, residual):
        residual += out  # error: [IPL201]
        return residual


def case_an_output_that_is_a_dict_too():
    Residual(4, 2)(torch.ones(2, 4)).sample.sum().backward()


class Kept(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)

    def forward(self, x):
        gate = self.linear(x)
        gate.mul_(2)
        return Sample(sample=gate.sigmoid())


def case_written_before_it_is_saved():
    net = Kept()
    net(torch.ones(1, 2)).sample.sum().backward()
    return net.linear.weight.grad


@dataclass
class Steps:
    last: torch.Tensor
    raw: list[torch.Tensor]


def _steps(scale):
    raw = []
    x = torch.ones(2)
    for _ in range(2):
        x = x + 1
        raw.append(x)
        x = scale(x)
    return Steps(x, raw)


def _scaled_in_place(x):
    x.mul_(0.5)  # warning: [IPL304]
    return x


def case_fields_with_what_was_changed_since():
    found = _steps(_scaled_in_place)
    return found.last, torch.stack(found.raw)


def case_fields_with_what_was_changed_since_cured():
    found = _steps(lambda x: x * 0.5)
    return found.last, torch.stack(found.raw)


def case_fields_with_copies_of_what_was_changed():
    x = torch.ones(2)
    kept = Steps(x, [x.clone()])
    x = x.clone()
    x.mul_(0.5)
    return kept.last


def case_fields_filled_before_they_are_given():
    total = torch.zeros(2)
    total += torch.ones(2)
    return Steps(total, [total * 2]).raw
