"""What NumPy computes of an array, where the model says that it is an array of its own."""

from __future__ import annotations

import numpy as np
import pytest

from inplace_lint.interpret.torch.numpy import COMPUTED

_WITH_ANOTHER = frozenset(
    "maximum minimum power arctan2 hypot mod add subtract multiply divide true_divide logical_and logical_or greater "
    "less equal outer".split()
)
_WITH: dict[str, tuple[object, ...]] = {
    "clip": (0, 2), "pad": (1,), "roll": (1,), "tile": (2,), "repeat": (2,), "where": (1.0, 0.0),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(COMPUTED))
@pytest.mark.parametrize("shape", [(6,), (2, 3)])
def test_it_is_an_array_with_memory_of_its_own(name: str, shape: tuple[int, ...]) -> None:
    given = np.arange(1.0, 7.0).reshape(shape)
    before = given.copy()
    others = (given.copy(),) if name in _WITH_ANOTHER else _WITH.get(name, ())
    made = getattr(np, name)(given, *others)
    assert isinstance(made, np.ndarray)
    assert made.ndim > 0
    assert not np.shares_memory(made, given)
    assert np.array_equal(given, before)
