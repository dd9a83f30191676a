"""An in-place op changes a view of a leaf tensor that requires grad.

## What it does

Reports a write through an index, a slice, `view`, `t()`, `[...] = ` and the like to a leaf that
requires grad, outside `torch.no_grad()`.

## Why it matters

Writing a part of a leaf writes the leaf. PyTorch raises at once:

    RuntimeError: a view of a leaf Variable that requires grad is being used in an in-place
    operation.

## Bad

```python
import torch

weight = torch.randn(4, 3, requires_grad=True)
weight[0] = 0.0  # error: [IPL102]
result = weight
```

## Good

```python
import torch

weight = torch.randn(4, 3, requires_grad=True)
with torch.no_grad():
    weight[0] = 0.0
result = weight
```

The cure costs nothing, and the gradient ignores the change. To mask the row in the computation
instead, write a copy; it costs the memory of one more tensor:

```python
import torch

weight = torch.randn(4, 3, requires_grad=True)
masked = weight.clone()
masked[0] = 0.0
masked.square().sum().backward()
result = weight.grad
```

## Fix

The fix puts the statement under `torch.no_grad()`. That is safe where the statement applies the leaf's
own gradient, or only fills the leaf. Elsewhere it is unsafe: under `no_grad` the parameter itself changes, in a
copy only this computation does. Where the result is used, or another operand requires grad and would
lose its gradient, the fix is the out-of-place form; it is unsafe, too.
"""

from collections.abc import Iterator

from inplace_lint.rule import Finding, Rule, Trace, refused, under_no_grad


def check(trace: Trace) -> Iterator[Finding]:
    """Writes to a view of a leaf."""
    return refused(
        trace,
        {"leaf-view": "a view of a leaf that requires grad"},
        "write under `torch.no_grad()`, or into a copy (`.clone()`) of the leaf",
        "viewed here",
        cures=lambda write: under_no_grad(write, trace),
    )


RULE = Rule(
    code="IPL102",
    name="leaf-view-modified",
    summary="in-place change of a view of a leaf tensor that requires grad",
    check=check,
)
