"""An op saved its result for backward, and the result was written afterwards.

## What it does

Reports a write to the result of an earlier op that saved it for its backward pass. The related line
is that op. The layers of an `nn.Sequential` can do this to each other.

## Why it matters

`relu`, `sigmoid`, `tanh`, `exp`, `sqrt` and `softmax` compute their gradient from their result.
They save the result itself, not a copy. A write increments its version, and backward finds the
mismatch:

    RuntimeError: one of the variables needed for gradient computation has been modified by an
    inplace operation: [torch.FloatTensor [3]], which is output 0 of Sigmoid, is at
    version 1; expected version 0 instead.

PyTorch's anomaly mode names the op whose backward failed, never the line that wrote.

Some layers save more on a GPU. There cuDNN keeps the output of `nn.GRU` and `nn.RNN`, and the cell state of
`nn.LSTMCell` is kept too. A write to one of these works on a CPU and breaks on a GPU; the message says so.

## Bad

```python
import torch

x = torch.randn(3, requires_grad=True)
y = torch.sigmoid(x)
y *= 2  # error: [IPL202]
y.sum().backward()
result = x.grad
```

In-place forms save their result too, so the second write breaks the first. This form of SiLU
gives the right value and no gradient:

```python
import torch

x = torch.randn(3, requires_grad=True)
h = x * 2
value = h.clone()
h.sigmoid_()
h *= value  # error: [IPL202]
h.sum().backward()
result = x.grad
```

## Good

```python
import torch

x = torch.randn(3, requires_grad=True)
y = torch.sigmoid(x)
y = y * 2
y.sum().backward()
result = x.grad
```

The cure costs the memory of one result. Ops that save their input or nothing leave their result
free: writing after a linear layer, a convolution or a normalisation is right.

```python
import torch
from torch import nn

layer = nn.Linear(3, 3)
h = layer(torch.randn(2, 3))
h += 1
h.relu_()
h.sum().backward()
result = layer.weight.grad
```

## Fix

The fix replaces the in-place op by its out-of-place form, and binds the result to the name; a module
loses its `inplace=True`; item assignment writes a copy (`x = x.clone()`). That is safe as long as no
alias is read for the written value, and unsafe if the caller, or an attribute, may be such an alias.
Otherwise the fix makes the op save a copy of its result, with `.clone()`: that is always safe, as no value
changes.
"""

from collections.abc import Iterator

from inplace_lint.rule import LIBRARY_WRITES, Finding, Rule, Trace, broken, op_name, quoted, raises_in_backward


def check(trace: Trace) -> Iterator[Finding]:
    """Writes whose earliest broken save is a result of an op."""
    for found in broken(trace):
        write, first = found.write, found.saves[0].save
        if first.is_result and write.op not in LIBRARY_WRITES:
            yield raises_in_backward(
                found,
                f"{quoted(write.operand.text)}, the result that {op_name(first.op)} saved for backward",
                "use the out-of-place form (`x = x + y`), or `.clone()` before the write",
            )


RULE = Rule(
    code="IPL202",
    name="saved-output-modified",
    summary="in-place change of a result that an earlier op saved",
    check=check,
)
