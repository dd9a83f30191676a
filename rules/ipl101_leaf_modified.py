"""An in-place op changes a leaf tensor that requires grad while gradients are recorded.

## What it does

Reports an in-place op (`add_`, `+=`, `F.relu(x, inplace=True)`, ...) on a tensor that the program
made itself with `requires_grad=True`, or on an `nn.Parameter`, outside `torch.no_grad()`.

## Why it matters

A leaf collects gradients. With a computed value it would no longer be a leaf, so PyTorch raises at
once:

    RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.

## Bad

```python
import torch

weight = torch.zeros(3, requires_grad=True)
weight += 1  # error: [IPL101]
result = weight
```

## Good

If the change is an initialisation or an update that needs no gradient, say so:

```python
import torch

weight = torch.zeros(3, requires_grad=True)
with torch.no_grad():
    weight += 1
result = weight
```

The cure costs nothing, and the gradient ignores the change. Where it must include it, compute a new
tensor instead, which costs the memory of one more tensor:

```python
import torch

weight = torch.zeros(3, requires_grad=True)
shifted = weight + 1
shifted.square().sum().backward()
result = weight.grad
```

Filling a tensor before it requires grad is allowed:

```python
import torch

weight = torch.zeros(3)
weight += 1
weight.requires_grad_()
result = weight
```

## Fix

The fix puts the statement under `torch.no_grad()`. That is safe where the statement applies the leaf's
own gradient (`weight -= 0.1 * weight.grad`), or only fills the leaf (`zero_`, `normal_`). Elsewhere it
is unsafe: in the computation the change would get a gradient, and only the author knows which is
meant. Where the result is used, or another operand requires grad and would lose its gradient, the fix
is the out-of-place form; it is unsafe, too.
"""

from collections.abc import Iterator

from inplace_lint.rule import Finding, Rule, Trace, refused, under_no_grad


def check(trace: Trace) -> Iterator[Finding]:
    """Writes to a leaf."""
    return refused(
        trace,
        {"leaf": "a leaf that requires grad"},
        "update it under `torch.no_grad()`, or work on a copy (`.clone()`)",
        "made here",
        cures=lambda write: under_no_grad(write, trace),
    )


RULE = Rule(
    code="IPL101",
    name="leaf-modified",
    summary="in-place change of a leaf tensor that requires grad",
    check=check,
)
