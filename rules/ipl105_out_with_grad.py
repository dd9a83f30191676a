"""`out=` is given while an argument of the op requires grad.

## What it does

Reports a call with `out=` where an input, or the `out` tensor itself, requires grad, outside
`torch.no_grad()`.

## Why it matters

The `out=` forms record nothing for backward. PyTorch raises instead of dropping the gradient silently:

    RuntimeError: add(): functions with out=... arguments don't support automatic differentiation,
    but one of the arguments requires grad.

## Bad

```python
import torch

x = torch.randn(3, requires_grad=True)
buffer = torch.empty(3)
torch.add(x, 1, out=buffer)  # error: [IPL105]
result = buffer
```

## Good

```python
import torch

x = torch.randn(3, requires_grad=True)
shifted = torch.add(x, 1)
result = shifted
```

The cure costs a new tensor for each call. Where no gradient is wanted, the buffer can stay:

```python
import torch

x = torch.randn(3, requires_grad=True)
buffer = torch.empty(3)
with torch.no_grad():
    torch.add(x, 1, out=buffer)
result = buffer
```

## Fix

The fix binds the result instead of passing `out=`. That is unsafe: perhaps no gradient is wanted, and an
alias of the buffer may be read.
"""

from collections.abc import Iterator

from inplace_lint.rule import Finding, Rule, Trace, refused, result_taken


def check(trace: Trace) -> Iterator[Finding]:
    """Results written to `out=` that autograd cannot follow."""
    return refused(
        trace,
        {"out-with-grad": "its `out=`, while an argument requires grad"},
        "take the result instead of `out=`, or compute under `torch.no_grad()`",
        # Who writes `out=` does not expect gradients.
        assumed="info",
        cures=result_taken,
    )


RULE = Rule(
    code="IPL105",
    name="out-with-grad",
    summary="`out=` while an argument requires grad",
    check=check,
)
