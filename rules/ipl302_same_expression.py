"""An in-place op and another use of the same tensor are in one expression.

## What it does

Reports `x * torch.sigmoid_(x)` and the like: one operand overwrites the tensor that another reads.

## Why it matters

Python evaluates both operands before the product. Both are the same memory, so the
product is `sigmoid(x) * sigmoid(x)`. PyTorch raises nothing.

## Bad

```python
import torch

x = torch.randn(4)
result = x * torch.sigmoid_(x)  # warning: [IPL302]
```

## Good

```python
import torch

x = torch.randn(4)
result = x * torch.sigmoid(x)
```

The cure costs the memory of one result. A copy taken inside the expression also works if it is
evaluated first:

```python
import torch

x = torch.randn(4)
result = x.clone() * torch.sigmoid_(x)
```

Assigning back the sum of a tensor and a value computed from it is no hazard:

```python
import torch

x = torch.randn(4)
x += torch.sigmoid(x)
result = x
```

## Fix

The out-of-place form changes the value of the expression, as intended. It is unsafe in name only:
hardly anyone means the present value.
"""

from collections.abc import Iterator

from inplace_lint.rule import Finding, Related, Rule, Trace, led_to, op_name, out_of_place, quoted, stale_reads


def check(trace: Trace) -> Iterator[Finding]:
    """Tensors that are overwritten and read in one statement."""
    for found in stale_reads(trace):
        if found.how == "same-expression":
            write, read = found.write, found.read
            yield Finding(
                write.place,
                f"{op_name(write.op)} overwrites {quoted(write.operand.text)}, which the same expression reads",
                "warning",
                (Related("read here, after the write", read.site, "read"), *led_to(write)),
                "use the out-of-place form",
                cures=out_of_place(write),
            )


RULE = Rule(
    code="IPL302",
    name="same-expression",
    summary="a tensor is overwritten and used in one expression",
    check=check,
)
