"""Schemas of values in JSON: reading gives a value of the declared type, or fails."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Generic, TypeVar

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")


class ShapeError(ValueError):
    """A document that has another shape."""


@dataclass(frozen=True, slots=True)
class Shape(Generic[T]):
    """How to write a value down, and how to read it.

    Args:
        write: from the value to what JSON can say.
        read: from what JSON said to the value; raises ShapeError.
    """

    write: Callable[[T], Any]
    read: Callable[[Any], T]


def _plain(kind: type[T]) -> Shape[T]:
    def read(data: Any) -> T:
        if type(data) is not kind:
            raise ShapeError(f"{kind.__name__} was expected")
        return data

    return Shape(lambda value: value, read)


TEXT = _plain(str)
WHOLE = _plain(int)
NUMBER = _plain(float)
FLAG = _plain(bool)


def within(low: int, high: int) -> Shape[int]:
    """A whole number from `low` to `high`."""

    def read(data: Any) -> int:
        if type(data) is not int or not low <= data <= high:
            raise ShapeError(f"a number from {low} to {high} was expected")
        return data

    return Shape(lambda value: value, read)


def word(words: Collection[str]) -> Shape[Any]:
    """One of some words."""

    def read(data: Any) -> Any:
        if type(data) is not str or data not in words:
            raise ShapeError(f"one of {', '.join(words)} was expected")
        return data

    return Shape(lambda value: value, read)


def optional(shape: Shape[T]) -> Shape[T | None]:
    """A value, or None."""
    return Shape(
        lambda value: None if value is None else shape.write(value),
        lambda data: None if data is None else shape.read(data),
    )


def many(kind: Callable[[Iterable[T]], V], shape: Shape[T]) -> Shape[V]:
    """A tuple, a list or a set (`kind`) of values of one shape."""

    def write(values: Any) -> Any:
        return [shape.write(value) for value in values]

    def read(data: Any) -> V:
        if type(data) is not list:
            raise ShapeError("a list was expected")
        return kind([shape.read(each) for each in data])

    return Shape(write, read)


def pair(first: Shape[K], second: Shape[V]) -> Shape[tuple[K, V]]:
    """Two values."""

    def read(data: Any) -> tuple[K, V]:
        if type(data) is not list or len(data) != 2:
            raise ShapeError("a pair was expected")
        return first.read(data[0]), second.read(data[1])

    return Shape(lambda value: [first.write(value[0]), second.write(value[1])], read)


def table(shape: Shape[V]) -> Shape[Mapping[str, V]]:
    """Values by name."""

    def read(data: Any) -> Mapping[str, V]:
        if type(data) is not dict:
            raise ShapeError("a table was expected")
        return {name: shape.read(each) for name, each in data.items()}

    return Shape(lambda values: {name: shape.write(each) for name, each in values.items()}, read)


def record(kind: type[T], *shapes: Shape[Any]) -> Shape[T]:
    """A dataclass, whose fields have these shapes, in order."""
    names = [each.name for each in fields(kind)]  # type: ignore[arg-type]
    assert len(names) == len(shapes), kind
    writers = [(name, shape.write) for name, shape in zip(names, shapes, strict=True)]
    readers = [shape.read for shape in shapes]

    def read(data: Any) -> T:
        if type(data) is not list or len(data) != len(readers):
            raise ShapeError(f"a {kind.__name__} was expected")
        return kind(*[read(each) for read, each in zip(readers, data, strict=True)])

    return Shape(lambda value: [write(getattr(value, name)) for name, write in writers], read)
