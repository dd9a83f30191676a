"""A custom `Function.forward` writes an input without `mark_dirty`, or after saving it.

## What it does

Reports an in-place op on a tensor argument of `torch.autograd.Function.forward` when the argument
is not passed to `ctx.mark_dirty`, and one on an argument that is also passed to
`ctx.save_for_backward`. An argument that requires no grad (running statistics) need not be marked.

## Why it matters

Inside `forward` autograd records nothing, so it learns of a write only through `mark_dirty`.
Without it, the tensor outside keeps its old history: later reads get the new value and the old
gradient. `save_for_backward` takes effect when `forward` returns, so a tensor that was saved and then
written is saved with its new value. PyTorch raises nothing, and `gradcheck` of the function alone
passes in the first case.

## Bad

```python
import torch


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)  # warning: [IPL403]
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * 2


start = torch.ones(3, requires_grad=True)
x = start * 1
Double.apply(x)
x.sum().backward()
result = start.grad
```

```python
import torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.mark_dirty(x)
        x.pow_(2)  # warning: [IPL403]
        return x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * x * grad_output


start = torch.full((3,), 3.0, requires_grad=True)
Square.apply(start * 1).sum().backward()
result = start.grad
```

## Good

```python
import torch


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.mul_(2)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * 2


start = torch.ones(3, requires_grad=True)
x = start * 1
Double.apply(x)
x.sum().backward()
result = start.grad
```

```python
import torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.pow(2)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * x * grad_output


start = torch.full((3,), 3.0, requires_grad=True)
Square.apply(start * 1).sum().backward()
result = start.grad
```

`mark_dirty` costs nothing; a function that needs its input in backward must not write it, which
costs the memory of one result.

## Fix

The fix adds `ctx.mark_dirty(x)` where `forward` returns the argument. That is unsafe: the marked tensor must
not be a leaf that requires grad. If the tensor is written after `save_for_backward`, the fix saves a clone;
that is unsafe because it changes the gradient, as intended.
"""

from collections.abc import Iterator

from inplace_lint.rule import Finding, Rule, Trace, Write, led_to, marked_dirty, op_name, quoted


def check(trace: Trace) -> Iterator[Finding]:
    """Writes in `forward` of a custom function that autograd is not told of."""
    for write in trace.events:
        if isinstance(write, Write) and write.marks & {"unmarked", "after-save"}:
            late = "after-save" in write.marks
            why = "after `save_for_backward` took it" if late else "an input, without `ctx.mark_dirty`"
            yield Finding(
                write.place,
                f"{op_name(write.op)} modifies {quoted(write.operand.text)}, {why}",
                "warning",
                led_to(write),
                "save a copy, or write before saving"
                if late
                else "call `ctx.mark_dirty(x)` and return `x`, or write a copy",
                cures=marked_dirty(write),
                assumed=not write.operand.tensor.need.certain,
            )


RULE = Rule(
    code="IPL403",
    name="not-marked-dirty",
    summary="a custom `Function.forward` writes an input without `mark_dirty`, or after saving it",
    check=check,
)
