"""Comments that call a write of an argument in place."""

from __future__ import annotations

from textwrap import dedent

import pytest

from inplace_lint.pipeline.lint_file import lint_source
from inplace_lint.project.config import Config

PROGRAM = """
    import torch
    def described(boxes, scale):
        if scale != 1:{above}
            boxes /= scale{beside}
        return boxes.mean() * 2
    boxes = torch.rand(3, 4)
    mean = described(boxes, 2.0)
    result = boxes.sum()
"""


def _codes(**comments: str) -> set[str]:
    text = dedent(PROGRAM.format(**{"above": "", "beside": "", **comments}))
    return {each.code for each in lint_source(text, "announced.py", Config(select=("ALL",))) if each.severity != "info"}


@pytest.mark.parametrize("comment", ["  # in place", "  # in-placed rescale the boxes", "  # NOTE: inplace!"])
def test_a_write_may_be_announced_beside_it_or_where_its_block_begins(comment: str) -> None:
    assert _codes(above=comment) == _codes(beside=comment) == set()


@pytest.mark.parametrize("comment", ["", "  # rescale", "  # not in place", "  # avoids in-place ops", "  # in places"])
def test_other_comments_announce_nothing(comment: str) -> None:
    assert _codes(above=comment) == _codes(beside=comment) == {"IPL305"}


SCALED = """
    import torch
    def scaled(scales, x):
        flat = scales.view(-1)
        {above}
        scales.nan_to_num_(nan=1.0)
        return x * flat * scales
    result = scaled(torch.tensor([[float("nan"), 2.0]]), torch.ones(2))
"""
ALIAS = [
    "# in place: flat is an alias of scales",
    "# No value is lost. In-place, so that flat, which shares the\n        # memory of scales, has them too.",
]
NO_ALIAS = ["# in place", "# flat is an alias", "# not in place, there may be an alias", "pass  # an alias, in place"]


def _codes_of_scaled(comment: str) -> set[str]:
    text = dedent(SCALED.format(above=comment))
    return {each.code for each in lint_source(text, "announced.py") if each.severity != "info"}


@pytest.mark.parametrize("comment", ALIAS)
def test_a_comment_above_a_write_may_tell_of_an_alias(comment: str) -> None:
    assert _codes_of_scaled(comment) == set()


@pytest.mark.parametrize("comment", NO_ALIAS)
def test_other_comments_tell_of_no_alias(comment: str) -> None:
    assert _codes_of_scaled(comment) == {"IPL303"}
