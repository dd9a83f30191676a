"""The parts of a subscript, each by what it takes of a dimension: of tensors, and of what nobody knows."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Position:
    """`x[at]`: one index, or one key."""

    at: Hashable


@dataclass(frozen=True, slots=True)
class Range:
    """`x[lower:upper:step]`"""

    lower: Hashable
    upper: Hashable
    step: Hashable


@dataclass(frozen=True, slots=True)
class Full:
    """`x[:]`: all of a dimension."""


@dataclass(frozen=True, slots=True)
class Rest:
    """`x[...]`: all of the dimensions that no other part is for."""


@dataclass(frozen=True, slots=True)
class NewAxis:
    """`x[None]`"""


@dataclass(frozen=True, slots=True)
class Advanced:
    """`x[at]`: a mask, or a tensor or list of positions."""

    at: Hashable


@dataclass(frozen=True, slots=True)
class Unsure:
    """`x[at]`: one position, several, or a mask; nobody knows which."""

    at: Hashable


IndexPart = Position | Range | Full | Rest | NewAxis | Advanced | Unsure
Subscript = tuple[IndexPart, ...]

FULL = Full()
