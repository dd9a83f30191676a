"""How a message says under which assumptions a finding holds."""

import pytest

from inplace_lint.findings.wording import if_assumed
from inplace_lint.torch_model.tensor import Assumption

_NEEDS = Assumption("`x[0, 1]`", "requires grad")


@pytest.mark.parametrize(
    ("also", "told"),
    [
        pytest.param((), "", id="nothing"),
        pytest.param((_NEEDS,), " if `x[0, 1]` requires grad", id="one"),
        pytest.param(
            (_NEEDS, Assumption("`x[0, 1]`", "is contiguous")),
            " if `x[0, 1]` requires grad and is contiguous",
            id="two-of-one",
        ),
        pytest.param(
            (_NEEDS, Assumption("`y`", "is float32 already")),
            " if `x[0, 1]` requires grad and `y` is float32 already",
            id="two-of-two",
        ),
    ],
)
def test_assumptions_are_told_as_one_clause(also: tuple[Assumption, ...], told: str) -> None:
    assert if_assumed(also) == told
