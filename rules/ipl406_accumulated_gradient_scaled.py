"""A gradient is scaled after each of several backward passes that add to it.

## What it does

Reports `x.grad.div_(n)` and the like, by a number, where a later backward pass adds to that gradient, and the same
statement then scales the sum again.

## Why it matters

`backward()` adds to `x.grad`. Who accumulates the gradients of several batches, and scales after each of them, scales
the first batch as often as there are batches: its share shrinks (or grows) with every later one. PyTorch raises
nothing. Frameworks that accumulate gradients call a hook after every backward pass, too, and not once for each step of
the optimizer.

## Bad

```python
import torch

x = torch.ones(2, requires_grad=True)
for scale in (1.0, 2.0, 3.0):
    (scale * x).sum().backward()
    x.grad.div_(3)  # warning: [IPL406]
result = x.grad
```

## Good

```python
import torch

x = torch.ones(2, requires_grad=True)
for scale in (1.0, 2.0, 3.0):
    (scale * x).sum().backward()
x.grad.div_(3)
result = x.grad
```

Or scale the loss, which adds to the gradient what is meant:

```python
import torch

x = torch.ones(2, requires_grad=True)
for scale in (1.0, 2.0, 3.0):
    ((scale * x).sum() / 3).backward()
result = x.grad
```

Where the gradient is reset before each backward pass, scaling it each time is right. So is what a second time changes
no more: to mask a gradient, or to replace what is not finite.

## Fix

There is no automatic fix: only the author knows how often the gradient was to be scaled.
"""

from collections.abc import Iterator

from inplace_lint.rule import Finding, Related, Rule, Trace, led_to, op_name, quoted, scaled_again


def check(trace: Trace) -> Iterator[Finding]:
    """Writes that scale a gradient again, to which a backward pass has added since they did so before."""
    for write, added in scaled_again(trace):
        yield Finding(
            write.place,
            f"{op_name(write.op)} scales {quoted(write.operand.text)} again, to which backward has added since",
            "warning",
            (Related("backward adds to it, and writes here", added, "write"), *led_to(write)),
            "scale the loss, or scale the gradient once, before the optimizer steps",
        )


RULE = Rule(
    code="IPL406",
    name="accumulated-gradient-scaled",
    summary="a gradient is scaled after each of several backward passes that add to it",
    check=check,
)
