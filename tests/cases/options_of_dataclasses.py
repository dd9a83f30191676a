"""A field of a dataclass with a flag as its default is an option, as an argument of a constructor is."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import nn


@dataclass
class Configuration:
    width: int
    quick: bool = True
    kind: str = "plain"
    rescaled = False
    steps: ClassVar[int] = 2


class Scan(nn.Module):
    def __init__(self, config: Configuration):
        super().__init__()
        self.config = config
        self.scale = nn.Parameter(torch.ones(config.width))

    def forward(self, x):
        if self.config.quick:
            return x * self.scale
        return self.slow(x, self.scale)

    def slow(self, x, scale):
        raise NotImplementedError


class ScanInPlace(Scan):
    def slow(self, x, scale):
        return scale.mul_(x)  # error: [IPL101]


def case_scan_that_is_not_quick():
    return ScanInPlace(Configuration(3, quick=False))(torch.rand(3))


class ScanOfCopy(Scan):
    def slow(self, x, scale):
        return scale.clone().mul_(x)


def case_scan_that_is_not_quick_cured():
    return ScanOfCopy(Configuration(3, quick=False))(torch.rand(3))


class Gated(nn.Module):
    def __init__(self, config: Configuration):
        super().__init__()
        self.kind = config.kind

    def forward(self, x):
        gate = torch.sigmoid(x)
        if self.kind == "scaled":
            gate.mul_(2)  # warning: [IPL202]
        return gate * x


def open_gate_of_another_kind(x):
    return Gated(Configuration(3, kind="scaled"))(x)


class Fixed(nn.Module):
    def __init__(self, config: Configuration):
        super().__init__()
        self.config = config

    def forward(self, x):
        gate = torch.sigmoid(x)
        if self.config.rescaled:
            gate.mul_(2)
        return gate * x


def open_attribute_of_the_class_is_no_field(x):
    return Fixed(Configuration(3))(x)


class Doubled(nn.Module):
    def __init__(self, config: Configuration):
        super().__init__()
        self.config = config

    def forward(self, x):
        gate = torch.sigmoid(x) if self.config.quick else x + 1
        if not self.config.quick:
            gate.mul_(2)
        return gate + x


def open_what_is_written_on_the_same_choice(x):
    return Doubled(Configuration(3, quick=False))(x)


@dataclass
class Rates:
    drop: float = 0.0
    width: int = 3


def _dropped(rate):
    if rate <= 0:
        return nn.Identity()
    return nn.Dropout(rate, inplace=True)  # error: [IPL202]


class Attention(nn.Module):
    def __init__(self, rates: Rates):
        super().__init__()
        self.query = nn.Linear(rates.width, rates.width)
        self.drop = _dropped(rates.drop)

    def forward(self, x):
        return self.drop(self.query(x).softmax(-1)) @ x


def case_attention_with_a_rate():
    Attention(Rates(drop=0.5))(torch.rand(3, 3)).sum().backward()
