"""A tensor made under `inference_mode` is written, or saved for backward, outside it.

## What it does

Reports an in-place op outside `torch.inference_mode()` on a tensor that was made inside, and an op
outside that would save such a tensor for its backward.

## Why it matters

Inference tensors have no version counter, so autograd could not detect a later write. PyTorch
raises:

    RuntimeError: Inplace update to inference tensor outside InferenceMode is not allowed.

    RuntimeError: Inference tensors cannot be saved for backward.

## Bad

```python
import torch

with torch.inference_mode():
    mean = torch.ones(3)
mean.mul_(0.9)  # error: [IPL106]
result = mean
```

## Good

```python
import torch

with torch.no_grad():
    mean = torch.ones(3)
mean.mul_(0.9)
result = mean
```

`no_grad` is a little slower than `inference_mode`. Otherwise clone outside, which costs one copy:

```python
import torch

with torch.inference_mode():
    features = torch.ones(3)
weight = torch.randn(3, requires_grad=True)
(weight * features.clone()).sum().backward()
result = weight.grad
```

## Fix

`inference_mode` becomes `no_grad`. That is safe for the values; it keeps the version counters, which
take a little time.
"""

from collections.abc import Iterator

from inplace_lint.rule import Finding, Rule, Trace, counted_memory, refused, stuck


def check(trace: Trace) -> Iterator[Finding]:
    """Writes to an inference tensor outside its mode."""
    saved = "an op saves a tensor made under `inference_mode` for backward"
    yield from stuck(
        trace,
        {"inference-saved": saved},
        "`.clone()` the tensor outside the `inference_mode` block",
        cures=counted_memory,
    )
    yield from refused(
        trace,
        {"inference": "an inference tensor, outside `inference_mode`"},
        "write inside the `inference_mode` block, or `.clone()` the tensor outside it",
        "made under inference_mode here",
        cures=lambda write: counted_memory(write.refusal) if write.refusal is not None else (),
    )


RULE = Rule(
    code="IPL106",
    name="inference-tensor-modified",
    summary="a tensor made under `inference_mode` is written or saved outside it",
    check=check,
)
