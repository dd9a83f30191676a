"""A function writes its caller's tensor.

## What it does

Reports a call whose callee writes a tensor argument in place, when the caller reads that tensor
again; the related line is the write. Where no caller in view does, the write itself is reported as
information. A function that says what it does is left alone: its name ends in one underscore, it
has a parameter `inplace` or `out`, or its documentation mentions it.

## Why it matters

An argument is passed without a copy. `scaled = normalise(batch)` looks as if it left `batch` alone;
if it does not, every later use of `batch` computes with other values. No error is raised.

## Bad

```python
import torch


def normalise(values):
    values -= values.mean()
    return values / values.std()


batch = torch.arange(4.0)
scaled = normalise(batch)  # warning: [IPL305]
result = scaled + batch
```

## Good

```python
import torch


def normalise(values):
    values = values - values.mean()
    return values / values.std()


batch = torch.arange(4.0)
scaled = normalise(batch)
result = scaled + batch
```

The cure costs the memory of one result. A name with an underscore tells the caller, and a call that
stands alone shows that the write is its purpose:

```python
import torch


def center_(values):
    values -= values.mean()
    return values


batch = torch.arange(4.0)
center_(batch)
result = batch
```

## Fix

There is no safe automatic fix: other callers may rely on the write.
"""

from inplace_lint.rule import Rule

RULE = Rule(
    code="IPL305",
    name="argument-modified",
    summary="a function writes a tensor that its caller reads again",
)
