"""A function run under checkpointing writes memory that outlives it.

## What it does

Reports an in-place op inside a function or module passed to `torch.utils.checkpoint.checkpoint` when
it writes a buffer, an argument, or another tensor from outside. What finds nothing left to change the second
time, such as `clamp_` of a parameter, is not reported. That the statistics of batch norm count twice is a
known price of checkpointing: of that, `info` is all that is told.

## Why it matters

Checkpointing runs the function a second time during backward, and the write with it: a running mean
is updated twice, a counter counts double. PyTorch raises nothing. It does not check the versions of
captured tensors either; if the function computes with the tensor that it writes, the gradients belong
to a computation that did not take place. PyTorch checks only the arguments of `checkpoint`: writing one
raises in backward.

## Bad

```python
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x):
        self.calls += 1  # warning: [IPL405]
        return x.sigmoid()


layer = Layer()
x = torch.ones(3, requires_grad=True)
checkpoint(layer, x, use_reentrant=False).sum().backward()
result = layer.calls
```

## Good

```python
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x):
        return x.sigmoid()


layer = Layer()
x = torch.ones(3, requires_grad=True)
layer.calls += 1
checkpoint(layer, x, use_reentrant=False).sum().backward()
result = layer.calls
```

The cure costs nothing. The function may write tensors that it makes itself; each run makes new ones:

```python
import torch
from torch.utils.checkpoint import checkpoint


def layer(x):
    h = x * 2
    h += 1
    return h.sigmoid()


x = torch.ones(3, requires_grad=True)
checkpoint(layer, x, use_reentrant=False).sum().backward()
result = x.grad
```

## Fix

There is no automatic fix: only the author knows where the write belongs.
"""

from collections.abc import Iterator

from inplace_lint.rule import Finding, Rule, Trace, Write, led_to, op_name, quoted, settles


def check(trace: Trace) -> Iterator[Finding]:
    """Writes inside a checkpointed call to memory from outside it."""
    for write in trace.events:
        if isinstance(write, Write) and "replayed" in write.marks and _matters(write):
            yield Finding(
                write.place,
                f"{op_name(write.op)} modifies {quoted(write.operand.text)}, and checkpointing runs it a second time",
                "info" if _is_of_statistics(write) else "warning",
                led_to(write),
                "move the write out of the checkpointed function",
            )


def _matters(write: Write) -> bool:
    """A refused write is reported as such; that batch norm counts twice is so in PyTorch itself.

    What a parameter was clamped to, it is already when that runs again.
    """
    return write.refusal is None and not settles(write) and "num_batches_tracked" not in write.operand.text


def _is_of_statistics(write: Write) -> bool:
    """Whether a normalization layer of PyTorch brings its own running statistics up to date."""
    return write.op.startswith("torch.nn.") and write.operand.text.startswith("running_")


RULE = Rule(
    code="IPL405",
    name="replayed-write",
    summary="a write that checkpointing will replay",
    check=check,
)
