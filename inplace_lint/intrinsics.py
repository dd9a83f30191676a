"""Functions for stubs, beside Python and PyTorch: the interpreter knows them by name.

A stub is interpreted (`inplace_lint/torch_model/stubs.py`). The bodies here let tests also execute it, beside the
library that it stands for.
"""

from __future__ import annotations

from typing import Any

__all__ = ["as_tensor", "is_constant", "perhaps", "unknown", "view_of"]


def perhaps() -> bool:
    """True on one path and False on another. Run, it is true."""
    return True


def unknown() -> Any:
    """Something of which nothing is known. Run, it is None."""
    return None


def is_constant(value: object) -> bool:
    """Whether a value is None, a number or a text that is known; so a stub need not ask what nobody can answer.

    A condition on what is unknown makes a path for each answer.
    """
    return value is None or isinstance(value, (bool, int, float, str))


def as_tensor(value: Any) -> Any:
    """The same value; where nothing is known of it, it is a tensor, since the library takes no other things."""
    return value


def view_of(tensor: Any, expanded: bool = False) -> Any:
    """A view of a tensor of which nothing else is known, perhaps one whose elements share memory."""
    return tensor.view_as(tensor)
