"""Arguments with defaults: what a class or function does only for those who give them is run, too."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest

from inplace_lint.pipeline.lint_file import lint_source

HEAD = "import torch\nfrom torch import nn\n\n"

# A program, what uses it with the option given, and the code that is told of it; None where it runs.
PROGRAMS = {
    "parameter of an option": (
        """
        class Net(nn.Module):
            def __init__(self, use_lu=False):
                super().__init__()
                if use_lu:
                    self.lower = nn.Parameter(torch.rand(3, 3))

            def forward(self, x):
                return x @ self.lower.tril_()
        """,
        "Net(True)(torch.rand(3)).sum().backward()",
        "IPL101",
    ),
    "passed to a module that writes": (
        """
        class Block(nn.Module):
            def forward(self, x, parts=None):
                if parts is not None:
                    scale, shift = parts
                    x = x * scale.add_(1) + shift
                return x

        class Net(nn.Module):
            def __init__(self, time=None):
                super().__init__()
                self.mlp = nn.Linear(time, 6) if time is not None else None
                self.block = Block()

            def forward(self, x, t=None):
                parts = None
                if self.mlp is not None and t is not None:
                    parts = self.mlp(t).chunk(2, dim=1)
                return self.block(x, parts=parts)
        """,
        "Net(4)(torch.rand(2, 3), torch.rand(2, 4)).sum().backward()",
        "IPL103",
    ),
    "passed to a module that does not write": (
        """
        class Block(nn.Module):
            def forward(self, x, parts=None):
                if parts is not None:
                    scale, shift = parts
                    x = x * (scale + 1).add_(1) + shift
                return x

        class Net(nn.Module):
            def __init__(self, time=None):
                super().__init__()
                self.mlp = nn.Linear(time, 6) if time is not None else None
                self.block = Block()

            def forward(self, x, t=None):
                parts = None
                if self.mlp is not None and t is not None:
                    parts = self.mlp(t).chunk(2, dim=1)
                return self.block(x, parts=parts)
        """,
        "Net(4)(torch.rand(2, 3), torch.rand(2, 4)).sum().backward()",
        None,
    ),
    "mode in the method": (
        """
        class Net(nn.Module):
            def __init__(self, mode="linear"):
                super().__init__()
                self.mode = mode
                self.weight = nn.Parameter(torch.rand(3, 3))

            def forward(self, x):
                y = torch.exp(x @ self.weight)
                if self.mode == "mlp":
                    y += 1
                return y
        """,
        "Net('mlp')(torch.rand(3)).sum().backward()",
        "IPL202",
    ),
    "one of some modes": (
        """
        class Net(nn.Module):
            def __init__(self, mode="linear"):
                super().__init__()
                self.mode = mode
                self.weight = nn.Parameter(torch.rand(3, 3))

            def forward(self, x):
                y = torch.exp(x @ self.weight)
                if self.mode in ("mlp", "conv"):
                    y += 1
                return y
        """,
        "Net('conv')(torch.rand(3)).sum().backward()",
        "IPL202",
    ),
    "none in the method": (
        """
        class Net(nn.Module):
            def __init__(self, shift=None):
                super().__init__()
                self.shift = shift
                self.weight = nn.Parameter(torch.rand(3, 3))

            def forward(self, x):
                y = torch.sigmoid(x @ self.weight)
                if self.shift is not None:
                    y += self.shift
                return y
        """,
        "Net(1.0)(torch.rand(3)).sum().backward()",
        "IPL202",
    ),
    "function": (
        """
        def scaled(x: torch.Tensor, kind="usual"):
            y = torch.exp(x)
            if kind == "other":
                y.mul_(2)
            return y
        """,
        "scaled(torch.rand(3, requires_grad=True), 'other').sum().backward()",
        "IPL202",
    ),
    "both tests agree": (
        """
        class Net(nn.Module):
            def __init__(self, learned=False):
                super().__init__()
                self.learned = learned
                self.weight = nn.Parameter(torch.rand(3, 3))
                if learned:
                    self.scale = nn.Parameter(torch.ones(3))
                else:
                    self.register_buffer("scale", torch.ones(3))

            def forward(self, x):
                if not self.learned:
                    self.scale.mul_(0.9)
                return x @ self.weight * self.scale
        """,
        "Net(True)(torch.rand(3)).sum().backward()",
        None,
    ),
    "given after the test": (
        """
        class Net(nn.Module):
            def __init__(self, bias=False):
                super().__init__()
                self.weight = nn.Parameter(torch.rand(3, 3))
                self.bias = nn.Parameter(torch.zeros(3)) if bias else None

            def forward(self, x):
                y = x @ self.weight
                if self.bias is not None:
                    y += self.bias
                return y
        """,
        "Net(True)(torch.rand(3)).sum().backward()",
        None,
    ),
    "attribute of one that is given": (
        """
        class Net(nn.Module):
            def __init__(self, sizes=None):
                super().__init__()
                self.sizes = sizes
                self.weight = nn.Parameter(torch.rand(3, 3))

            def forward(self, x):
                y = torch.exp(x @ self.weight)
                if self.sizes is not None and len(self.sizes.shape) == 1:
                    y[: self.sizes.shape[0]] += 1
                return y
        """,
        "Net(torch.ones(2))(torch.rand(3)).sum().backward()",
        "IPL202",
    ),
    "object that writes when it is called": (
        """
        class Scale:
            def __init__(self, factor):
                self.factor = factor

            def __call__(self, y):
                return y.mul_(self.factor)

        class Model:
            def __init__(self, net):
                self.net = net

            def steps(self, factor, noise, mean, scale):
                found = []
                if mean is not None and mean != 0.0:
                    found.append(lambda y: y - mean)
                if noise is not None and noise != 0.0:
                    found.append(lambda y: y + noise)
                if factor is not None and factor != 1.0:
                    found.append(Scale(factor))
                if scale is not None and scale != 1.0:
                    found.append(lambda y: y * scale)
                return found

            def run(self, x, factor=None, noise=None, mean=None, scale=None):
                y = torch.exp(self.net(x))
                for step in self.steps(factor, noise, mean, scale):
                    y = step(y)
                return y
        """,
        "Model(nn.Linear(3, 3)).run(torch.rand(3), 0.5).sum().backward()",
        "IPL202",
    ),
    "element of a list": (
        """
        class Net(nn.Module):
            def __init__(self, kinds=["sum"]):
                super().__init__()
                self.kinds = kinds
                self.weight = nn.Parameter(torch.rand(3, 3))

            def forward(self, x):
                y = x @ self.weight
                made = []
                for kind in self.kinds:
                    if kind == "sum":
                        made.append(y)
                    else:
                        made.append(y.exp().mul_(2))
                return torch.cat(made)
        """,
        "Net(['other'])(torch.rand(3)).sum().backward()",
        "IPL202",
    ),
    "asked for a write": (
        """
        class Net(nn.Module):
            def __init__(self, inplace=False):
                super().__init__()
                self.inplace = inplace
                self.weight = nn.Parameter(torch.rand(3, 3))

            def forward(self, x):
                y = torch.tanh(x @ self.weight)
                return torch.relu_(y + 0) if self.inplace else torch.relu(y)
        """,
        "Net(True)(torch.rand(3)).sum().backward()",
        None,
    ),
}


@pytest.mark.parametrize(("program", "use", "code"), PROGRAMS.values(), ids=PROGRAMS)
def test_options_that_are_given(program: str, use: str, code: str | None) -> None:
    text = HEAD + dedent(program)
    space: dict[str, Any] = {}
    exec(text, space)
    if code is None:
        exec(use, space)
    else:
        with pytest.raises(RuntimeError, match=r"in-?place"):
            exec(use, space)
    assert [found.code for found in lint_source(text)] == ([code] if code else [])


def test_an_option_is_given_only_where_that_matters() -> None:
    """A path that is longer than the others makes no difference, unless it leads to a write."""
    tests = "\n".join(f"        if self.mode{n}:\n            x = x + {n}" for n in range(6))
    parameters = ", ".join(f"mode{n}=False" for n in range(6))
    fields = "\n".join(f"        self.mode{n} = mode{n}" for n in range(6))
    text = f"class Net(nn.Module):\n    def __init__(self, {parameters}):\n        super().__init__()\n{fields}\n"
    text += f"    def forward(self, x, other):\n{tests}\n        if other:\n            y = torch.exp(x * self.w)\n"
    text += "            y += 1\n            return y\n        return x\n"
    assert [found.code for found in lint_source(HEAD + text)] == ["IPL202"]
