"""Parameters are written between a forward pass and its backward.

## What it does

Reports `optimizer.step()`, or another write to parameters, that comes after a loss was computed
from them and before that loss is differentiated.

## Why it matters

A forward pass saves the weights that backward needs, and `step()` writes them in place. If two losses
are computed first, the step for one invalidates the graph of the other:

    RuntimeError: one of the variables needed for gradient computation has been modified by an
    inplace operation: [torch.FloatTensor [2, 1]], which is output 0 of AsStrided, is at
    version 2; expected version 1 instead.

## Bad

```python
import torch
from torch import nn

actor = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 1))
optimizer = torch.optim.SGD(actor.parameters(), lr=0.1)
x = torch.randn(4, 2)
first = actor(x).mean()
second = actor(-x).square().mean()
first.backward()
optimizer.step()  # error: [IPL203]
second.backward()
result = actor[0].weight.grad
```

## Good

```python
import torch
from torch import nn

actor = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 1))
optimizer = torch.optim.SGD(actor.parameters(), lr=0.1)
x = torch.randn(4, 2)
first = actor(x).mean()
first.backward()
optimizer.step()
second = actor(-x).square().mean()
second.backward()
result = actor[0].weight.grad
```

The cure costs nothing, but the second loss now sees the updated weights. To have both gradients at
the old weights, run both backward passes before the step:

```python
import torch
from torch import nn

actor = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 1))
optimizer = torch.optim.SGD(actor.parameters(), lr=0.1)
x = torch.randn(4, 2)
first = actor(x).mean()
second = actor(-x).square().mean()
first.backward()
second.backward()
optimizer.step()
result = actor[0].weight.grad
```

## Fix

There is no automatic fix: the method decides where the step belongs.

## Known limits

A weight is saved only where its layer's input requires grad. A single linear layer on plain data
therefore survives the step, and is not reported.
"""

from collections.abc import Iterator
from dataclasses import replace

from inplace_lint.rule import LIBRARY_WRITES, Finding, Rule, Trace, broken, op_name, quoted, raises_in_backward


def check(trace: Trace) -> Iterator[Finding]:
    """Writes whose earliest broken save is made of a parameter, or any that an optimizer broke."""
    for found in broken(trace):
        write, first = found.write, found.saves[0].save
        if write.op in LIBRARY_WRITES or (first.leaf and not first.is_result):
            name = quoted(write.operand.text or first.operand, "parameters")
            finding = raises_in_backward(
                found,
                f"{name}, which {op_name(first.op)} saved for a backward that comes later",
                "run every backward of a forward before the step, or compute the forward again after it",
            )
            yield replace(finding, cures=())


RULE = Rule(
    code="IPL203",
    name="stepped-before-backward",
    summary="parameters written between a forward pass and its backward",
    check=check,
)
