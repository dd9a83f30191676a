"""An in-place op changes one of several views that a single op returned.

## What it does

Reports in-place ops on a result of `chunk`, `split`, `unbind` and their relatives, and on the rows
that `for row in tensor` yields, when gradients flow through it.

## Why it matters

PyTorch records a write to a view as a change of its base. For ops that return several views at once
it cannot, and it raises at the write:

    RuntimeError: Output 1 of Split is a view and is being modified inplace. This view is the output
    of a function that returns multiple views. Such functions do not allow the output views to be
    modified inplace. You should replace the inplace operation by an out-of-place one.

## Bad

```python
import torch

x = torch.randn(2, 6, requires_grad=True)
value, gate = (x * 2).chunk(2, dim=1)
gate.sigmoid_()  # error: [IPL103]
result = value * gate
```

## Good

```python
import torch

x = torch.randn(2, 6, requires_grad=True)
value, gate = (x * 2).chunk(2, dim=1)
gate = gate.sigmoid()
result = value * gate
```

The cure costs the memory of one result. A slice is a single view and may be written, as long as
no op saved its base:

```python
import torch

x = torch.randn(2, 6, requires_grad=True)
h = x * 2
gate = h[:, 3:]
gate.sigmoid_()
h.sum().backward()
result = [h, x.grad]
```

## Fix

The fix replaces the in-place op by its out-of-place form, and binds the result to the name. That is
safe as long as no alias is read for the written value, since the base no longer changes; where one is,
there is no fix.

## Known limits

The results of `tensor_split` and `hsplit` may be written: PyTorch builds them from slices.
"""

from collections.abc import Iterator

from inplace_lint.rule import Finding, Rule, Trace, out_of_place, refused, stuck


def check(trace: Trace) -> Iterator[Finding]:
    """Writes to a view that autograd cannot rebase."""
    yield from refused(
        trace,
        _WRITTEN,
        "use the out-of-place form, or `.clone()` the view before writing",
        "viewed here",
        cures=lambda write: out_of_place(write, safe=True, unshared=True),
    )
    yield from stuck(trace, _USED, "use the view before writing its base, or `.clone()` it")


_WRITTEN = {
    "multi-view": "one of several views that autograd ties together",
    "no-grad-view": "a view that was made while gradients were off",
    "custom-view": "a view that a custom Function gave",
}
_USED = {
    "stale-view": "this view is used after its base was modified, which autograd refuses for one of several views",
    "detached-view": "`detach_` is called on a view",
}


RULE = Rule(
    code="IPL103",
    name="multi-view-modified",
    summary="in-place change of one result of `chunk`, `split`, `unbind` or of a row of a loop",
    check=check,
)
