"""An in-place op changes the input or output of a module that has a full backward hook.

## What it does

Reports a write to the output of a module after `register_full_backward_hook`, and a hooked module
that itself writes its input (`nn.ReLU(inplace=True)`), when gradients are recorded.

## Why it matters

PyTorch attaches the hook by passing inputs and outputs through a custom function that returns views of
them. It forbids to write these views:

    RuntimeError: Output 0 of BackwardHookFunction is a view and is being modified inplace. This
    view was created inside a custom Function (or because an input was returned as-is) and the
    autograd logic to handle view+inplace would override the custom backward associated with the
    custom Function, leading to incorrect gradients.

## Bad

```python
import torch
from torch import nn

layer = nn.Linear(3, 3)
layer.register_full_backward_hook(lambda module, grad_input, grad_output: None)
h = layer(torch.randn(2, 3))
h.relu_()  # error: [IPL107]
result = h
```

## Good

```python
import torch
from torch import nn

layer = nn.Linear(3, 3)
layer.register_full_backward_hook(lambda module, grad_input, grad_output: None)
h = layer(torch.randn(2, 3))
h = h.relu()
result = h
```

The cure costs the memory of one result. Forward hooks return no views, so there the write is fine:

```python
import torch
from torch import nn

layer = nn.Linear(3, 3)
layer.register_forward_hook(lambda module, args, output: None)
h = layer(torch.randn(2, 3))
h.relu_()
result = h
```

## Fix

The fix replaces the in-place op by its out-of-place form, and binds the result to the name; a module
loses its `inplace=True`. That is safe as long as no alias is read for the written value; where one is,
there is no fix.
"""

from collections.abc import Iterator

from inplace_lint.rule import Finding, Rule, Trace, out_of_place, refused


def check(trace: Trace) -> Iterator[Finding]:
    """Writes to what a full backward hook wraps."""
    return refused(
        trace,
        {"hooked": "the input or output of a module with a full backward hook"},
        "write to a copy: `.clone()`, or use the out-of-place form",
        cures=lambda write: out_of_place(write, safe=True, unshared=True),
    )


RULE = Rule(
    code="IPL107",
    name="hooked-output-modified",
    summary="in-place change of the input or output of a module with a full backward hook",
    check=check,
)
