"""Constants of a program, and numbers that nobody knows, as parts of keys and subscripts."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass


@dataclass(slots=True, eq=False)
class Constant:
    """A number, a text or the like. Unlike in a `dict`, `1`, `1.0` and `True` are not the same."""

    value: Hashable

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Constant):
            return False
        if self.value is other.value:
            return True
        return type(self.value) is type(other.value) and bool(self.value == other.value)

    def __hash__(self) -> int:
        return hash(self.value)


class Number:
    """A number that nobody knows, but what it was computed from."""

    __slots__ = ()

    def ends_after(self, other: object) -> bool:
        """Whether a range up to it likely ends after `n`, the other: `-n`, `size - n`, `n * 3`, `n * (times - 1)`."""
        raise NotImplementedError

    @property
    def is_from_the_end(self) -> bool:
        """Whether it is spelled as a position that is counted from the end: `-n + i`."""
        raise NotImplementedError
