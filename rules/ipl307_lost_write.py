"""A write goes to a copy that nobody reads.

## What it does

Reports statements that write the result of advanced indexing in place: `x[mask].zero_()`, `x[[0, 2]].mul_(2)`,
`x[mask][:, 0] = 1`.

## Why it matters

A slice is a view, but a subscript with a mask, a list or a tensor of positions copies. The op changes the copy,
which nobody keeps; the tensor keeps its values, and PyTorch raises nothing.

## Bad

```python
import torch

scores = torch.tensor([-1.0, 2.0, -3.0])
scores[scores < 0].zero_()  # warning: [IPL307]
result = scores
```

```python
import torch

weight = torch.ones(4, 2, requires_grad=True)
weight.sum().backward()
frozen = [0, 2]
weight.grad[frozen].zero_()  # warning: [IPL307]
result = weight.grad
```

```python
import torch

boxes = torch.ones(3, 4)
boxes[torch.tensor([True, False, True])][:, 0] = 5.0  # warning: [IPL307]
result = boxes
```

## Good

```python
import torch

scores = torch.tensor([-1.0, 2.0, -3.0])
scores[scores < 0] = 0.0
result = scores
```

```python
import torch

weight = torch.ones(4, 2, requires_grad=True)
weight.sum().backward()
frozen = [0, 2]
weight.grad[frozen] = 0.0
result = weight.grad
```

```python
import torch

boxes = torch.ones(3, 4)
boxes[torch.tensor([True, False, True]), 0] = 5.0
result = boxes
```

Assigning to a subscript writes the tensor itself, whatever the index is; so does `x[mask] += 1`. Ops can do it,
too: `masked_fill_`, `index_fill_`, `index_add_`, `index_copy_`.

## Fix

`x[i].mul_(2)` becomes `x[i] = x[i].mul_(2)`. That changes the values, as intended; it is therefore unsafe.
"""

from collections.abc import Iterator

from inplace_lint.rule import Finding, Rule, Trace, led_to, lost_writes, op_name, put_back, quoted


def check(trace: Trace) -> Iterator[Finding]:
    """Statements that write a copy made by advanced indexing."""
    for write in lost_writes(trace):
        kept = write.storage.copied
        yield Finding(
            write.place,
            f"{op_name(write.op)} modifies a copy that nobody reads: indexing with a mask or positions copies, "
            f"{quoted(kept)} keeps its values",
            "warning",
            led_to(write),
            f"assign to the elements (`{kept}[...] = ...`)",
            cures=put_back(write),
        )


RULE = Rule(
    code="IPL307",
    name="lost-write",
    summary="a write to a copy that indexing made, and nobody reads",
    check=check,
)
