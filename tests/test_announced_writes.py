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
