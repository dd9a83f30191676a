"""A tensor that the graph still uses is written where autograd cannot see it.

## What it does

Reports writes through `.data`, through the NumPy array of a tensor, through `detach()` or under
`torch.no_grad()` to a tensor in a computation that is differentiated afterwards. A value that is written through
`.data` gets no gradient either: after `x.data += self.mlp(x)`, `self.mlp` learns nothing from it.

`detach_()` does the same to a tensor as a whole, for all who hold it: if it stands in an expression, or the tensor has
another name that is used again, the later use gets no gradient. As a statement, or as `h = h.detach_()`, it is how a
state is cut off, and not reported.

A block under `no_grad` that gives computed values to a part of an argument, with which the function goes on, leaves the
gradient as if it had not: the finding rests on the argument requiring grad.

A parameter that is set to what is computed from other parameters, and then used by a layer, takes the gradient for
itself: what it was computed from gets none. Averages and rounded weights, which are computed from the parameter, too,
or are not used at once, are not reported. A step along a gradient, `p.data -= size * gradient`, is, if the size of the
step is a parameter: nothing teaches it; or if the gradient was recorded (`create_graph=True`) and serves nothing else.

## Why it matters

Autograd does not record such a write, so backward differentiates a computation that did not take place.
Through `.data` and NumPy not even the version changes, so PyTorch's own check cannot raise. The gradient is
silently wrong.

## Bad

```python
import torch

x = torch.ones(3, requires_grad=True)
h = x * 2
squares = h ** 2
h.data.zero_()  # warning: [IPL401]
squares.sum().backward()
result = x.grad
```

Under `no_grad` the value changes, but its gradient does not:

```python
import torch

x = torch.tensor([-1.0, 2.0], requires_grad=True)
h = x * 3
with torch.no_grad():
    h.clamp_(min=0)  # warning: [IPL401]
h.sum().backward()
result = x.grad
```

`detach_` is not confined to the expression in which it stands:

```python
import torch

x = torch.ones(3, requires_grad=True)
z, code = x * 2, torch.zeros(3, requires_grad=True)
loss = (code - z.detach_()).square().sum() + (z - code.detach()).square().sum()  # warning: [IPL401]
loss.backward()
result = x.grad is None
```

A parameter takes no part in how it was computed:

```python
import torch
from torch import nn

maker, layer = nn.Linear(2, 9), nn.Linear(3, 3)
layer.weight.data = maker(torch.ones(2)).view(3, 3)  # warning: [IPL401]
layer(torch.ones(3)).sum().backward()
result = maker.weight.grad is None
```

## Good

```python
import torch

x = torch.ones(3, requires_grad=True)
h = x * 2
squares = h ** 2
h = torch.zeros_like(h)
squares.sum().backward()
result = x.grad
```

```python
import torch

x = torch.tensor([-1.0, 2.0], requires_grad=True)
h = x * 3
h = h.clamp(min=0)
h.sum().backward()
result = x.grad
```

```python
import torch

x = torch.ones(3, requires_grad=True)
z, code = x * 2, torch.zeros(3, requires_grad=True)
loss = (code - z.detach()).square().sum() + (z - code.detach()).square().sum()
loss.backward()
result = x.grad is None
```

```python
import torch
from torch import nn

maker, layer = nn.Linear(2, 9), nn.Linear(3, 3)
weight = maker(torch.ones(2)).view(3, 3)
nn.functional.linear(torch.ones(3), weight, layer.bias).sum().backward()
result = maker.weight.grad is None
```

The cure costs the memory of one result. Writing parameters under `no_grad` between a backward and the
next forward is right, as no graph uses them then:

```python
import torch

weight = torch.ones(3, requires_grad=True)
(weight ** 2).sum().backward()
with torch.no_grad():
    weight -= 0.1 * weight.grad
result = weight
```

## Fix

There is no safe automatic fix: a value that deliberately gets another gradient, as in a
straight-through estimator, is better written `h + (rounded - h).detach()`.

## Known limits

A score of nearly minus infinity gets no gradient from a softmax. So masking scores directly before a softmax
is not reported.
"""

from collections.abc import Iterator

from inplace_lint.rule import (
    Finding,
    Related,
    Rule,
    Site,
    Trace,
    Write,
    broken,
    called_from,
    computed_parameters,
    cut_off,
    hidden_changes,
    led_to,
    op_name,
    quoted,
    saved_and_led_to,
)


def check(trace: Trace) -> Iterator[Finding]:
    """Writes that autograd does not see, to what it needs."""
    reported: set[int] = set()
    for found in broken(trace, hidden=True):
        reported.add(id(found.write))
        related = saved_and_led_to(found, lambda save: Related("saved for backward here", save.site, "save"))
        yield _finding(found.site, found.write, "which backward needs unchanged", related, found.certainty == "assumed")
    for write, read in hidden_changes(trace):
        if id(write) not in reported:
            used = (Related("used here", read.site, "read"), *led_to(write))
            assumed = not (read.operand.tensor.need.certain or any(each.tensor.need.certain for each in write.others))
            yield _finding(write.place, write, "so the gradient ignores the change", used, assumed)
    for write, read in computed_parameters(trace):
        used = (Related("used here", read.site, "read"),)
        put_in = write.others if write.source is None else (write.source,)
        assumed = not any(each.tensor.need.certain for each in put_in)
        yield _finding(write.place, write, "so what it was computed from gets no gradient", used, assumed)
    for cut, read in cut_off(trace):
        yield Finding(
            cut.site,
            f"`detach_` takes {quoted(cut.operand.text)} itself out of the graph, so its next use has no gradient",
            "warning",
            (Related("used here", read.site, "read"), *called_from(cut.stack)),
            "use `.detach()`, which leaves the tensor as it is",
            assumed=not cut.need.certain,
        )


def _finding(site: Site, write: Write, why: str, related: tuple[Related, ...], assumed: bool) -> Finding:
    return Finding(
        site,
        f"{op_name(write.op)} modifies {quoted(write.operand.text)} unseen by autograd, {why}",
        "warning",
        related,
        "use the out-of-place form while gradients are recorded",
        assumed=assumed,
    )


RULE = Rule(
    code="IPL401",
    name="hidden-write",
    summary="a tensor that the graph still uses is written unseen by autograd",
    check=check,
)
