"""What unknown values were made of tells what they are: masks, parts that are tensors if the whole is one."""

from __future__ import annotations

from collections.abc import Hashable

from inplace_lint.interpret.state.keys import (
    Binary,
    Compare,
    Converted,
    Derived,
    Element,
    Equal,
    Item,
    Key,
    Not,
    OfArrays,
    OfValues,
    Parameter,
    Unary,
)
from inplace_lint.source.place import Site
from inplace_lint.torch_model.constant import Constant
from inplace_lint.torch_model.subscript import Advanced, Full, NewAxis, Position, Range, Rest, Unsure


def beside_number(made: object) -> Hashable:
    """What was added to a number, or multiplied with one: where the result is a tensor, so is that."""
    if not isinstance(made, Binary) or made.op not in ("+", "-", "*", "/", "**"):
        return None
    sides = (made.left, made.right)
    numbers = [isinstance(side, Constant) and isinstance(side.value, (int, float)) for side in sides]
    return sides[numbers.index(False)] if numbers.count(True) == 1 else None


def tensor_facts(made: object) -> dict[str, object]:
    """What is known of a tensor that an unknown value turns out to be, by what that was made of; fields of `Tensor`."""
    dense = True if isinstance(made, Binary) and made.op == "@" else None
    truth = "bool" if isinstance(made, (Compare, Equal, Not)) else None
    return {"contiguous": dense, "dtype": truth, "array": _is_array(made)}


def _is_array(made: object) -> bool:
    """Whether a library of arrays gave a value, or what that was made of."""
    return isinstance(_given(made), OfArrays)


def is_value(key: Key) -> bool:
    """Whether a library gave something whose tensors nobody can write, or what that was made of."""
    return isinstance(_given(key.made), OfValues)


def _given(made: object) -> object:
    """What a value is a part of, or was made of by methods."""
    while isinstance(made, (Converted, Derived, Item)) and isinstance(made.of, Key):
        made = made.of.made
    return made


def stands_for_several(key: Key) -> bool:
    """Whether a value was found at several positions of another one: at a range, a mask or a list of them."""
    made = key.made
    return isinstance(made, Item) and isinstance(made.places, tuple) and any(map(_is_for_several, made.places))


def _is_for_several(place: object) -> bool:
    """Whether a part of a subscript stands for several positions, or is a mask."""
    if isinstance(place, (Position, Unsure)):
        return isinstance(place.at, Key) and is_of_masks(place.at.made)
    return isinstance(place, (Range, Full, Rest, NewAxis, Advanced))


def is_of_masks(made: object) -> bool:
    """Whether a subscript is a mask, if tensors are its operands: `x > 0`, `~padding`, `valid & near`."""
    return isinstance(made, Compare) or (isinstance(made, (Unary, Binary)) and made.op in _OF_MASKS)


_OF_MASKS = frozenset("~ & | ^".split())


def parameters_of(key: Hashable) -> frozenset[Site]:
    """The parameters of which a value is made, or a part of what one of them is given; none if of anything else."""
    if not isinstance(key, Key):
        return _parameters_of(key)
    if key.parameters is None:
        key.parameters = _parameters_of(key.made)
    return key.parameters


def _parameters_of(made: Hashable) -> frozenset[Site]:
    if isinstance(made, Parameter):
        return frozenset((Site(made.path, made.span),))
    if isinstance(made, (Item, Element, Unary, Converted, Derived)):
        return parameters_of(made.of)
    if not isinstance(made, Binary):
        return frozenset()
    sides = [parameters_of(side) for side in (made.left, made.right) if not isinstance(side, Constant)]
    return frozenset[Site]().union(*sides) if all(sides) else frozenset()
