"""Functions for stubs, beside Python and PyTorch: the interpreter knows them by name.

A stub is interpreted (`inplace_lint/torch_model/stubs.py`). The bodies here let tests also execute it, beside the
library that it stands for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = [
    "as_tensor",
    "computed",
    "is_constant",
    "is_unseen",
    "kept",
    "perhaps",
    "put_together",
    "surely",
    "unknown",
    "view_of",
]


def perhaps() -> bool:
    """True on one path and False on another. Run, it is true."""
    return True


def unknown(is_data: bool = False) -> Any:
    """Something of which nothing is known; data requires no grad. Run, it is None."""
    return None


def is_constant(value: object) -> bool:
    """Whether a value is None, a number or a text that is known; so a stub need not ask what nobody can answer.

    A condition on what is unknown makes a path for each answer.
    """
    return value is None or isinstance(value, (bool, int, float, str))


def is_unseen(value: object) -> bool:
    """Whether a value is one of which nothing is known, as what another package has made. Run, it is not."""
    return False


def surely(condition: object) -> bool:
    """Whether a condition is known to hold; it makes no paths."""
    return bool(condition)


def as_tensor(value: Any) -> Any:
    """The same value; where nothing is known of it, it is a tensor, since the library takes no other things."""
    return value


def view_of(tensor: Any, expanded: bool = False, whole: bool = False) -> Any:
    """Some view of a tensor, perhaps of all its elements, or one whose elements share memory."""
    return tensor.view_as(tensor)


def computed(owner: Any, name: str, function: Callable[[], Any]) -> None:
    """Take an attribute from an object: who asks for it gets what the function gives by then."""
    delattr(owner, name)
    owner.__class__ = type(type(owner).__name__, (type(owner),), {name: property(lambda self: function())})


def kept(item: Any) -> Any:
    """The same item; in a `__getitem__`, what of it was there before will be given again, with what is written to it.

    So IPL306 reports such writes.
    """
    return item


def put_together(function: Callable[[Any], Any], items: Any) -> Any:
    """What a function makes of fetched items; what it writes to them is written whenever they are fetched."""
    return function(items)
