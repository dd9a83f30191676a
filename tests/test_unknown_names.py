"""Values that go through dicts under names that nobody knows, as frameworks hand them to the methods of their users."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest

from inplace_lint import lint_source

FRAMEWORK = """
import inspect
from typing import OrderedDict

import torch
from torch import nn


class Framework(nn.Module):
    def __init__(self, flow="forward", **others):
        super().__init__()
        self.flow = flow
        self.hooks: "OrderedDict[int, object]" = OrderedDict()

    def add_hook(self, hook):
        self.hooks[len(self.hooks)] = hook

    def collect(self, function, known):
        found = {}
        for name in inspect.signature(function).parameters:
            if name not in known:
                raise TypeError(name)
            found[name] = known[name]
        return found

    def propagate(self, **known):
        for hook in self.hooks.values():
            known = hook(known)
        if self.flow == "forward":
            return self.message(**self.collect(self.message, known))
        return None

    def message(self, x):
        return x
"""

# Each with whether backward raises.
PROGRAMS = {
    "read by the method": (
        """
        class Net(Framework):
            def __init__(self, **kwargs):
                super().__init__(**kwargs)
                self.weight = nn.Parameter(torch.rand(4, 4))

            def forward(self, x):
                out = x @ self.weight
                out = self.propagate(x=out)
                x.add_(1)
                return out

            def message(self, x: torch.Tensor):
                return x * 2
        """,
        True,
    ),
    "a number is no tensor": (
        """
        class Net(Framework):
            def __init__(self, **kwargs):
                super().__init__(**kwargs)
                self.weight = nn.Parameter(torch.rand(4, 4))

            def forward(self, x):
                out = self.propagate(x=len(x))
                y = x * self.weight.detach() * out
                y.add_(1)
                return y + self.weight

            def message(self, x: int):
                return x * 2
        """,
        False,
    ),
    "nothing saved": (
        """
        class Net(Framework):
            def forward(self, x):
                out = x + torch.ones(4, requires_grad=True)
                out = self.propagate(x=out)
                x.add_(1)
                return out

            def message(self, x: torch.Tensor):
                return x * 2
        """,
        False,
    ),
}


@pytest.mark.parametrize(("program", "breaks"), PROGRAMS.values(), ids=PROGRAMS)
def test_what_goes_under_unknown_names(program: str, breaks: bool) -> None:
    text = FRAMEWORK + dedent(program)
    space: dict[str, Any] = {}
    exec(text, space)
    result = space["Net"]()(space["torch"].rand(4, 4)).sum()
    if breaks:
        with pytest.raises(RuntimeError, match="inplace"):
            result.backward()
    else:
        result.backward()
    assert [found.code for found in lint_source(text)] == (["IPL201"] if breaks else [])


# Each with whether backward raises.
PRODUCTS = {
    "only tensors have products with tensors": ("h = x @ self.weight\nx += h\nreturn h", True),
    "what comes of the sum of an unknown and a number": ("h = self.call(x @ self.weight)\nx += 2 * -h\nreturn x", True),
    "what has a past is no number": ("h = self.call(x @ self.weight)\nx = x.add_(h)\nreturn x", True),
    "a sum saves nothing": ("h = x + self.weight\nx += h\nreturn h", False),
}


@pytest.mark.parametrize(("body", "breaks"), PRODUCTS.values(), ids=PRODUCTS)
def test_what_shows_that_a_value_is_a_tensor(body: str, breaks: bool) -> None:
    head = "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self, call):\n"
    head += (
        "        super().__init__()\n        self.call = call\n        self.weight = nn.Parameter(torch.rand(4, 4))\n\n"
    )
    text = f"{head}    def forward(self, x):\n" + "".join(f"        {row}\n" for row in body.split("\n"))
    space: dict[str, Any] = {}
    exec(text, space)
    result = space["Net"](space["nn"].Identity())(space["torch"].rand(4, 4)).sum()
    if breaks:
        with pytest.raises(RuntimeError, match="inplace"):
            result.backward()
    else:
        result.backward()
    assert [found.code for found in lint_source(text)] == (["IPL201"] if breaks else [])
