"""A write goes to memory that several places share.

## What it does

Reports writes to

- one element of `[tensor] * n`,
- one of the gradients that `torch.autograd.grad` returns for tensors which were only added (they share one gradient),
- a tensor that is a default argument, or, from inside a function, a tensor of the module,
- the result of a cached function (unless it is memory without values: a buffer),
- an item that a `DataLoader` with `batch_size=None` takes from its data set, or that a `Dataset` keeps and returns
  again after the write,
- rows of an expanded tensor, or by a mask some of its elements,
- overlapping windows (`unfold` with a step smaller than its size, `as_strided`).

## Why it matters

`[zeros] * 3` holds one tensor three times, and a default argument is made once for all calls.
Setting a row of an expanded tensor sets all of its rows, and an element in two windows is changed twice. PyTorch raises
nothing: the write is legal, but changes more places than its author meant.

## Bad

```python
import torch

counts = [torch.zeros(2)] * 3
counts[0] += 1  # warning: [IPL306]
result = counts
```

```python
import torch


def accumulate(value, total=torch.zeros(())):
    total += value  # warning: [IPL306]
    return total.clone()


result = [accumulate(1.0), accumulate(1.0)]
```

```python
import torch

mask = torch.zeros(1, 3).expand(2, 3)
mask[0] = 1.0  # warning: [IPL306]
result = mask
```

```python
import torch

wave = torch.arange(8.0)
frames = wave.unfold(0, 4, 2)
frames *= torch.linspace(0.0, 1.0, 4)  # warning: [IPL306]
result = frames
```

## Good

```python
import torch

counts = [torch.zeros(2) for _ in range(3)]
counts[0] += 1
result = counts
```

```python
import torch


def accumulate(value, total=None):
    total = torch.zeros(()) if total is None else total.clone()
    total += value
    return total


result = [accumulate(1.0), accumulate(1.0)]
```

```python
import torch

mask = torch.zeros(1, 3).repeat(2, 1)
mask[0] = 1.0
result = mask
```

```python
import torch

wave = torch.arange(8.0)
frames = wave.unfold(0, 4, 2) * torch.linspace(0.0, 1.0, 4)
result = frames
```

The cure costs the memory that sharing had avoided.

## Fix

`[tensor] * n` becomes a comprehension, and an expanded tensor, or one of windows, is cloned before it is written. That
changes the values, as intended. It is therefore unsafe: apply it where the places were meant to be independent.
For a default argument and for a tensor of the module there is no fix.
"""

from collections.abc import Iterator

from inplace_lint.rule import Finding, Related, Rule, Trace, led_to, op_name, own_memory, quoted, shared_writes

_WHY = {
    "expanded": "whose elements share memory since `expand`",
    "windows": "made of windows that overlap in memory",
    "repeated": "which several elements of a list share",
    "default": "a default value, which was made once for all",
    "global": "which the module keeps for all calls",
    "fetched": "which the data set gives again in the next epoch",
    "cached": "the result of a cached function, which all calls share",
}


def check(trace: Trace) -> Iterator[Finding]:
    """Writes to memory that stands in several places."""
    for write, shared in shared_writes(trace):
        made = (Related("made here", write.storage.site, "bind"),) if write.storage.site else ()
        yield Finding(
            write.place,
            f"{op_name(write.op)} modifies {quoted(write.operand.text)}, {_WHY[shared]}",
            "warning",
            (*made, *led_to(write)),
            "give every place memory of its own (`.clone()`, a comprehension, `.repeat(...)`)",
            cures=own_memory(write),
        )


RULE = Rule(
    code="IPL306",
    name="shared-memory-write",
    summary="a write to memory that several places share",
    check=check,
)
