"""What the names of entry points say about their arguments."""

from __future__ import annotations

import pytest

from inplace_lint.runner import lint_source

_ROWS = """
import torch


def {name}(samples):
    batch = torch.zeros(len(samples), 4)
    for row, sample in zip(batch, samples):
        row[: sample.numel()].copy_(sample * 1.0)
    return batch
"""


@pytest.mark.parametrize("name", ["collate", "pad_collate", "collate_fn", "preprocess", "_post_process_batch"])
def test_nobody_differentiates_what_prepares_data(name: str) -> None:
    assert lint_source(_ROWS.format(name=name)) == []


@pytest.mark.parametrize("name", ["combine", "process", "pad"])
def test_others_may_be_given_what_requires_grad(name: str) -> None:
    assert [found.code for found in lint_source(_ROWS.format(name=name))] == ["IPL103"]
