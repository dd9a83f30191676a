"""A gradient is taken with respect to a tensor that an in-place op has overwritten.

## What it does

Reports `torch.autograd.grad(F.relu_(x), (x,))` and the like: the in-place result is used under
another name or within the expression, and the gradient is taken with respect to the written tensor.

## Why it matters

After the write the name `x` stands for the *result* of the op. The gradient with respect to it is
that of the identity, 1, and not the derivative of `relu` at the old value. No error is raised.

## Bad

```python
import torch
import torch.nn.functional as F

start = torch.tensor([-1.0, 2.0], requires_grad=True)
x = start * 3
result = torch.autograd.grad(F.relu_(x).sum(), (x,))  # warning: [IPL402]
```

## Good

```python
import torch
import torch.nn.functional as F

start = torch.tensor([-1.0, 2.0], requires_grad=True)
x = start * 3
result = torch.autograd.grad(F.relu_(x.clone()).sum(), (x,))
```

The cure costs one copy; `F.relu(x)` costs the same. A write that is a statement of its own counts as meant,
and so does the gradient with respect to the changed tensor:

```python
import torch

start = torch.tensor([-1.0, 2.0], requires_grad=True)
x = start * 3
x += 0.5
result = torch.autograd.grad((x ** 2).sum(), (x,))
```

## Fix

The out-of-place form changes the gradient, as intended. It is therefore unsafe: apply it where the
gradient at the old value was meant.
"""

from collections.abc import Iterator

from inplace_lint.rule import (
    Backward,
    Finding,
    Related,
    Rule,
    Trace,
    Write,
    held_since,
    led_to,
    op_name,
    out_of_place,
    quoted,
)


def check(trace: Trace) -> Iterator[Finding]:
    """Targets of `torch.autograd.grad` that were overwritten on the way to the output."""
    for event in trace.events:
        if isinstance(event, Write) and _kept_gradient(event):
            yield _finding(event, event.operand.text, "`retain_grad()` now keeps the gradient of", ())
        if not isinstance(event, Backward) or event.via != "grad":
            continue
        for target in event.targets:
            bound = held_since(target.binding)
            trace.effort.spend(len(target.tensor.storage.writes))
            for write, _, _ in target.tensor.storage.writes:
                if bound < write.time < event.time and write.grad_mode and write.had_need and _meant_old(write):
                    taken = Related("the gradient is taken here", event.site, "backward")
                    yield _finding(write, target.text, "the gradient is then taken with respect to", (taken,))
                    break


def _kept_gradient(write: Write) -> bool:
    retained_at = write.operand.tensor.retained_at
    return retained_at is not None and retained_at < write.time and write.refusal is None


def _finding(write: Write, name: str, what: str, related: tuple[Related, ...]) -> Finding:
    return Finding(
        write.place,
        f"{op_name(write.op)} overwrites {quoted(name)}, and {what} the overwritten tensor",
        "warning",
        related + led_to(write),
        "take the gradient with respect to a copy made before the write (`x2 = x.clone()`), "
        "or use the out-of-place form",
        cures=out_of_place(write),
    )


def _meant_old(write: Write) -> bool:
    """A write that is a statement of its own makes a new tensor on purpose."""
    return write.use not in ("statement", "rebound") and write.refusal is None


RULE = Rule(
    code="IPL402",
    name="gradient-of-modified",
    summary="a gradient with respect to a tensor that was overwritten",
    check=check,
)
