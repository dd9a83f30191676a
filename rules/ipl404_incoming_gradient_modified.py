"""A custom backward or a hook writes the gradient that it was handed, or what forward saved.

## What it does

Reports an in-place op on `grad_output` in `torch.autograd.Function.backward`, and on the gradient
argument of a tensor hook or a module's backward hook. Also one whose result is used, on a tensor of
`ctx.saved_tensors` that is an argument or a result of `forward`.

## Why it matters

Other parts of the graph share the gradient. An addition, for one, passes the same tensor to both of
its operands. A write to it changes the gradient of a *sibling* branch. PyTorch raises nothing, and
`gradcheck` of the function alone passes.

What `forward` saved is the very memory of its caller's tensor, which changes, and what other ops have saved of it.
PyTorch does not see that either: it has handed out what was saved, and looks at it no more.

## Bad

```python
import torch


class Relu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        grad_output[x < 0] = 0  # warning: [IPL404]
        return grad_output


x = torch.tensor([-1.0, 2.0], requires_grad=True)
skip = x * 3
(Relu.apply(x) + skip).square().sum().backward()
result = x.grad
```

```python
import torch


class Sigmoid(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.sigmoid(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        y = x.neg_().exp_().add_(1).reciprocal_()  # warning: [IPL404]
        return grad_output * y * (1 - y)


x = torch.tensor([-1.0, 2.0], requires_grad=True)
given = x * 1
Sigmoid.apply(given).sum().backward()
result = given.detach()
```

## Good

```python
import torch


class Relu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        grad_input = grad_output.clone()
        grad_input[x < 0] = 0
        return grad_input


x = torch.tensor([-1.0, 2.0], requires_grad=True)
skip = x * 3
(Relu.apply(x) + skip).square().sum().backward()
result = x.grad
```

```python
import torch


class Sigmoid(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.sigmoid(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        y = x.neg().exp_().add_(1).reciprocal_()
        return grad_output * y * (1 - y)


x = torch.tensor([-1.0, 2.0], requires_grad=True)
given = x * 1
Sigmoid.apply(given).sum().backward()
result = given.detach()
```

The cure costs one copy of the gradient. Once `backward()` is done, `x.grad` belongs to the program
and may be written:

```python
import torch

x = torch.tensor([-1.0, 2.0], requires_grad=True)
x.square().sum().backward()
x.grad.clamp_(-1, 1)
result = x.grad
```

## Fix

The fix writes a clone, or takes the out-of-place form. That is safe where the function returns the result;
where it returns something else, or nothing, there is no fix.
"""

from collections.abc import Iterator

from inplace_lint.rule import Finding, Rule, Trace, Write, led_to, op_name, out_of_place, quoted


def check(trace: Trace) -> Iterator[Finding]:
    """Writes to a gradient that others read too, or to what was saved of a caller's tensor."""
    chains: set[tuple[object, ...]] = set()  # `gradient.mul_(2).add_(1)` is one cause
    for write in trace.events:
        if isinstance(write, Write) and (handed := _handed_over(write)):
            if write.chain in chains:
                continue
            chains.add(write.chain)
            yield Finding(
                write.place,
                f"{op_name(write.op)} modifies {quoted(write.operand.text)}, {handed}",
                "warning",
                led_to(write),
                "return a new tensor: use the out-of-place form, or `.clone()` first",
                cures=out_of_place(write, safe=True, returned=True),
            )


def _handed_over(write: Write) -> str:
    """What it is that was written and belongs to others, too; empty if it does not, or is filled on purpose."""
    if write.storage.role == "gradient":
        return "the gradient that autograd handed over"
    # Who fills it by statements, and returns that as the gradient, saves memory.
    meant = write.use in ("statement", "rebound") or write.filler
    return "which `forward` saved: that is its caller's tensor" if "of-saved" in write.marks and not meant else ""


RULE = Rule(
    code="IPL404",
    name="incoming-gradient-modified",
    summary="a custom backward or a hook writes the gradient that it was handed, or what was saved",
    check=check,
)
