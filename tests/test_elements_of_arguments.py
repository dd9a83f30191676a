"""What is taken out of an argument stands for what that keeps; what is computed of it is a value."""

from __future__ import annotations

import pytest
from linted import linted

STEPS = """
import torch


def steps(values, averages):
    for i, value in enumerate(values):
        total, average = values[i], {average}
        value.add_(torch.maximum(total, average.add_(1)))
        value.add_(average.sqrt())
"""


@pytest.mark.parametrize(("average", "codes"), [("averages[i]", []), ("averages[i] * 2", ["IPL301"])])
def test_what_is_changed_for_its_result(average: str, codes: list[str]) -> None:
    assert [each.code for each in linted(STEPS.format(average=average).encode(), "program.py")] == codes
