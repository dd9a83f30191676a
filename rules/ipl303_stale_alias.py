"""A second name for a tensor is read after a write through the first.

## What it does

Reports an in-place op on a tensor that has an alias, when the alias is read afterwards:
`identity = x`, then `x.relu_()`, then `out + identity`. The related lines are the binding and the
read.

## Why it matters

An assignment copies nothing. Nor does `detach()`; nor do `contiguous()`, `to()`, `float()`, `reshape()`,
`flatten()` and `dropout` in evaluation where they have nothing to do. The second name was meant to
keep the old value, but it has the new one. PyTorch raises nothing.

## Bad

```python
import torch

x = torch.randn(4)
identity = x
x.relu_()  # warning: [IPL303]
result = x * 2 + identity
```

## Good

```python
import torch

x = torch.randn(4)
identity = x
x = x.relu()
result = x * 2 + identity
```

The cure costs the memory of one result. Rebinding `x` to a new tensor before the write also separates
the names, so residual blocks may activate in place after their first convolution:

```python
import torch
from torch import nn

conv = nn.Conv1d(2, 2, 1)
x = torch.randn(1, 2, 4)
identity = x
x = conv(x)
x.relu_()
x += identity
result = x
```

A view that is written to fill its base is no stale alias:

```python
import torch

canvas = torch.zeros(2, 3)
top = canvas[0]
top += 1
result = canvas
```

## Fix

The out-of-place form, or `identity = x.clone()`, changes the values that the later read gets. It is
therefore unsafe: apply it where the old value was meant.
"""

from collections.abc import Iterator

from inplace_lint.rule import (
    Finding,
    Related,
    Rule,
    Trace,
    clone_of_kept,
    led_to,
    op_name,
    out_of_place,
    quoted,
    stale_reads,
)


def check(trace: Trace) -> Iterator[Finding]:
    """Names that hold the same memory as one that was written."""
    for found in stale_reads(trace):
        if found.how == "alias":
            write, read = found.write, found.read
            other = quoted(found.name)
            yield Finding(
                write.place,
                f"{op_name(write.op)} modifies {quoted(write.operand.text)}, which is also {other}, read later",
                "warning",
                (Related(f"{other} is read here, changed", read.site, "read"), *led_to(write)),
                "keep a copy (`.clone()`) under the second name, or use the out-of-place form",
                cures=(*out_of_place(write), *clone_of_kept(found)),
            )


RULE = Rule(
    code="IPL303",
    name="stale-alias",
    summary="another name of the same memory is read after a write",
    check=check,
)
