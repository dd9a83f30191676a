"""What a call gives that seems to raise, and whose exception nobody catches: it was made of its arguments."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest

from inplace_lint import lint_source

# `aggregator` is set from outside, which the tool does not see: it takes `propagate` to raise.
PROGRAM = dedent(
    """
    import torch
    from torch import nn


    class Propagating(nn.Module):
        def __init__(self):
            super().__init__()
            self.aggregator = None

        def propagate(self, x):
            if self.aggregator is None:
                raise ValueError("no aggregator")
            return self.aggregator(x)


    class Convolution(Propagating):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(4, 4)

        def forward(self, x):
            h = torch.tanh(x)
            out = self.propagate(ARGUMENT)
            h.add_(1)
            return out
    """
)


@pytest.mark.parametrize(("argument", "breaks"), [("self.linear(h)", True), ("h.detach()", False)])
def test_the_past_of_what_a_call_gives(argument: str, breaks: bool) -> None:
    text = PROGRAM.replace("ARGUMENT", argument)
    space: dict[str, Any] = {}
    exec(text, space)
    net = space["Convolution"]()
    net.aggregator = space["nn"].Identity()
    result = net(space["torch"].rand(4, requires_grad=True)).sum()
    if breaks:
        with pytest.raises(RuntimeError, match="inplace"):
            result.backward()
    assert [found.code for found in lint_source(text)] == (["IPL202"] if breaks else [])
