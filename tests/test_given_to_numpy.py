"""NumPy refuses what requires grad: a path on which something does ends where it is given to NumPy."""

from inplace_lint import lint_source

ROWS = """
import numpy as np
import torch


def shifted(x):
    first, second = x.unbind(0)
    {between}
    second.add_(1)
    return second
"""


def _codes(between: str) -> list[str]:
    return [each.code for each in lint_source(ROWS.format(between=between))]


def test_a_write_is_refused_if_the_argument_requires_grad() -> None:
    assert _codes("torch.isnan(first)") == ["IPL103"]


def test_no_write_is_refused_on_a_path_that_has_ended() -> None:
    assert _codes("np.isnan(first)") == []


def test_what_is_detached_first_says_nothing() -> None:
    assert _codes("np.isnan(first.detach())") == ["IPL103"]
