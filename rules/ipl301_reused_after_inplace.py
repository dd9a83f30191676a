"""An in-place op's result gets a new name, and the overwritten tensor is read later.

## What it does

Reports `y = relu_(x)` or `y = F.relu(x, inplace=True)` where `x` is read afterwards as if it still
held its old value. The related line is that read.

## Why it matters

Both names are now aliases of one memory. PyTorch raises nothing, and the later read gets the
activated values. The new name suggests that the old value was meant.

## Bad

```python
import torch
import torch.nn.functional as F

x = torch.randn(4)
y = F.relu(x, inplace=True)  # warning: [IPL301]
result = y + x.abs()
```

## Good

```python
import torch
import torch.nn.functional as F

x = torch.randn(4)
y = F.relu(x)
result = y + x.abs()
```

The cure costs the memory of one result. If the new value is meant, keep one name, and every read
gets it:

```python
import torch
import torch.nn.functional as F

x = torch.randn(4)
x = F.relu(x, inplace=True)
result = x + x.abs()
```

A write does not change metadata, so reading it is right:

```python
import torch
import torch.nn.functional as F

x = torch.randn(4)
y = F.relu(x, inplace=True)
result = y.sum() / x.numel()
```

## Fix

The out-of-place form changes the values that the later read gets, as intended. It is therefore
unsafe: apply it where the old value was meant.
"""

from collections.abc import Iterator

from inplace_lint.rule import Finding, Related, Rule, Trace, led_to, op_name, out_of_place, quoted, stale_reads


def check(trace: Trace) -> Iterator[Finding]:
    """Results that got another name, while the overwritten one is read later."""
    for found in stale_reads(trace):
        if found.how == "same-name":
            write, read = found.write, found.read
            yield Finding(
                write.place,
                f"{op_name(write.op)} overwrites {quoted(write.operand.text)}, which is read again later",
                "warning",
                (Related("read again here", read.site, "read"), *led_to(write)),
                "use the out-of-place form, or go on with the result under the same name",
                cures=out_of_place(write),
            )


RULE = Rule(
    code="IPL301",
    name="reused-after-inplace",
    summary="an overwritten tensor is read after the in-place result got another name",
    check=check,
)
