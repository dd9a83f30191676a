"""A write keeps the graph of one step in memory that the next step differentiates through.

## What it does

Reports in-place writes of values with a history to memory that outlives the step (a buffer, a running total), where a
backward pass has run since, and another one reaches the same history. A reset in place, such as `state.zero_()`, is
reported for the same reason: it replaces the values, and keeps the history. Of a layer that nobody in view trains, a
backward pass after each call is supposed, unless one of its methods makes the memory anew or detaches it; that is a
warning.

## Why it matters

Backward frees the saved tensors that it has read. Memory that was written in place still has the history of the
earlier step, and the next backward pass follows it:

    RuntimeError: Trying to backward through the graph a second time (or directly access saved tensors after they
    have already been freed). Saved intermediate values of the graph are freed when you call .backward() or
    autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or if you need
    to access saved tensors after calling backward.

The message names neither the tensor nor the line. `retain_graph=True` would remove the error, but make the gradients
wrong and each step slower.

## Bad

```python
import torch
from torch import nn


class Normalized(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 1)
        self.register_buffer("scale", torch.ones(()))

    def forward(self, x):
        y = self.linear(x).exp()
        self.scale.mul_(0.9).add_(y.mean(), alpha=0.1)  # error: [IPL204]
        return (y / self.scale).mean()


model = Normalized()
for _ in range(2):
    model(torch.ones(3, 2)).backward()
result = model.linear.weight.grad
```

## Good

```python
import torch
from torch import nn


class Normalized(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 1)
        self.register_buffer("scale", torch.ones(()))

    def forward(self, x):
        y = self.linear(x).exp()
        self.scale.mul_(0.9).add_(y.detach().mean(), alpha=0.1)
        return (y / self.scale).mean()


model = Normalized()
for _ in range(2):
    model(torch.ones(3, 2)).backward()
result = model.linear.weight.grad
```

Detach what the next step keeps, or write it under `torch.no_grad()`. To reset a state, call `state.detach_().zero_()`,
or assign new zeros.

## Fix

There is no automatic fix: the method decides whether gradients flow through the write.
"""

from collections.abc import Iterator

from inplace_lint.rule import Backward, Finding, Related, Rule, Trace, led_to, op_name, quoted


def check(trace: Trace) -> Iterator[Finding]:
    """Writes that kept what an earlier backward pass released, where a later one comes to it."""
    for event in trace.events:
        if not isinstance(event, Backward):
            continue
        for write in event.kept:
            name = write.operand.binding.label if write.operand.binding else write.operand.text
            needs = [each.tensor.need for each in write.others if each.tensor.need]
            assumed = event.via == "return" and not any(need.certain for need in needs)
            yield Finding(
                write.place,
                f"{op_name(write.op)} keeps the graph of this step in {quoted(name)}, and the backward of the next one "
                "goes through it again",
                "warning" if event.via == "return" else "error",
                (*led_to(write), Related("this backward goes through it", event.site, "backward")),
                "write it without its history (`.detach()`, or under `torch.no_grad()`)",
                assumed=assumed,
                assumes=needs[0].assumptions[:1] if assumed and needs else (),
            )


RULE = Rule(
    code="IPL204",
    name="graph-kept",
    summary="a write keeps the graph of one step for the next",
    check=check,
)
