"""The members of the classes in an outline, by what they are for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inplace_lint.screen.outline import Definition
from inplace_lint.source.class_names import OWN_NAMES


def is_left_open(method: Definition) -> bool:
    """Whether a method only raises, or does nothing: classes below it define what is done."""
    return not (method.writes or set(method.attributes) - OWN_NAMES)


def methods_of(cls: Definition) -> Iterator[Definition]:
    """The methods of a class."""
    return (member for members in cls.members.values() for member in members)


def members_named(cls: Definition, names: Iterable[str]) -> list[Definition]:
    """The members of a class that have one of some names."""
    found = cls.members
    return [member for name in names if name in found for member in found[name]]


def switches(train: Definition) -> bool:
    """Whether a method is the one that `eval()` calls with `False`, and not one that trains something."""
    return "mode" in train.names and "train" in train.attributes


def all_beside(methods: Iterable[Definition]) -> list[Definition]:
    """The methods of the classes of some methods: what is loaded may be changed by them where it came from."""
    owners = {id(each.owner): each.owner for each in methods if each.owner is not None}
    return [each for cls in owners.values() for members in cls.members.values() for each in members]


# What Python asks for that has nothing to do with tensors.
_ASIDE = frozenset({"__getattr__", "__getattribute__", "__dir__", "__repr__", "__str__", "__reduce__", "__hash__"})


def is_special(name: str) -> bool:
    """Whether objects run a method of that name without being asked by it."""
    return name == "forward" or (name[:2] == "__" and name not in _ASIDE)
