"""The result of an op is thrown away, as if the op worked in place.

## What it does

Reports statements that only call a method which returns a new tensor and does not change its own:
`x.clamp(0, 1)`, `mask.masked_fill(pad, 0)`, `self.mean.detach()`. It knows methods that have a form with an
underscore, and conversions (`x.to(device)`).

## Why it matters

Only methods that end in an underscore work in place, and methods of modules such as `model.to(device)`. The new
tensor is discarded; nothing is clamped, masked or detached, and PyTorch raises nothing. A tensor that was meant to be
detached keeps the graph of every step, up to `Trying to backward through the graph a second time`.

## Bad

```python
import torch

probabilities = torch.tensor([-0.1, 0.4, 1.2])
probabilities.clamp(0, 1)  # warning: [IPL308]
result = probabilities.log1p()
```

```python
import torch
from torch import nn


class Normalized(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))
        self.mean = torch.zeros(3)

    def forward(self, x):
        x = x * self.scale
        self.mean = 0.9 * self.mean + 0.1 * x.mean(0)
        self.mean.detach()  # warning: [IPL308]
        return x - self.mean


model = Normalized()
model(torch.ones(2, 3)).sum().backward()
result = model.mean.requires_grad
```

## Good

```python
import torch

probabilities = torch.tensor([-0.1, 0.4, 1.2])
probabilities = probabilities.clamp(0, 1)
result = probabilities.log1p()
```

```python
import torch
from torch import nn


class Normalized(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))
        self.mean = torch.zeros(3)

    def forward(self, x):
        x = x * self.scale
        self.mean = (0.9 * self.mean + 0.1 * x.mean(0)).detach()
        return x - self.mean


model = Normalized()
model(torch.ones(2, 3)).sum().backward()
result = model.mean.requires_grad
```

Binding the result changes the variable alone; the method with the underscore changes the tensor for all aliases,
and raises in backward where an earlier op saved it.

## Fix

There is no automatic fix: only the author knows whether the name was meant to change, or the tensor for all aliases.
"""

from collections.abc import Iterator

from inplace_lint.rule import DiscardedResult, Finding, Rule, Trace, called_from, quoted


def check(trace: Trace) -> Iterator[Finding]:
    """Statements that give a new tensor which nobody takes."""
    for event in trace.events:
        if isinstance(event, DiscardedResult):
            kept = quoted(event.text, "the tensor")
            yield Finding(
                event.site,
                f"the result of `{event.op}` is thrown away, {kept} stays as it is",
                "warning",
                called_from(event.stack),
                f"take the result (`x = x.{event.op}(...)`)",
            )


RULE = Rule(
    code="IPL308",
    name="lost-result",
    summary="the result of an op is thrown away, as if the op worked in place",
    check=check,
    about_callers=False,
)
