"""An in-place op that clones its input for backward, and so saves no memory.

## What it does

Reports in-place ops that need their own old value in backward, such as
`F.silu(x, inplace=True)`, `F.hardswish`, `clamp_`, `pow_`, or `mul_` by a tensor that requires
grad, when gradients are recorded. It is off unless selected.

## Why it matters

In-place code is harder to read and to trust; the reason to write it is memory. These ops reduce no
memory: PyTorch saves a copy of the old value for backward. `relu_`, `leaky_relu_`, `elu_`, `sigmoid_`,
`tanh_` and `exp_` save their result instead, and do reduce memory by the size of the input.

## Bad

The programs here count the bytes that are alive between forward and backward.

```python
import torch
import torch.nn.functional as F

alive = {}


def note(tensor):
    storage = tensor.untyped_storage()
    alive[storage.data_ptr()] = storage.nbytes()
    return tensor


x = torch.randn(1000, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
    h = x + 1
    y = F.silu(h, inplace=True)  # info: [IPL502]
note(y)
result = sum(alive.values())  # 8000: the copy of h, and y
```

## Good

```python
import torch
import torch.nn.functional as F

alive = {}


def note(tensor):
    storage = tensor.untyped_storage()
    alive[storage.data_ptr()] = storage.nbytes()
    return tensor


x = torch.randn(1000, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
    h = x + 1
    y = F.silu(h)
note(y)
result = sum(alive.values())  # 8000: h, and y
```

The cure costs nothing. For `relu_` the same count gives half as much:

```python
import torch
import torch.nn.functional as F

alive = {}


def note(tensor):
    storage = tensor.untyped_storage()
    alive[storage.data_ptr()] = storage.nbytes()
    return tensor


x = torch.randn(1000, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
    h = x + 1
    y = F.relu(h, inplace=True)
note(y)
result = sum(alive.values())  # 4000: y
```

## Fix

The out-of-place form is safe as long as no alias is read for the written value; where one is, there
is no fix.

## Known limits

Under `torch.no_grad()` autograd saves nothing, in-place ops do reduce memory, and nothing is reported.
"""

from collections.abc import Iterator

from inplace_lint.rule import Finding, Rule, Trace, Write, led_to, op_name, out_of_place, quoted


def check(trace: Trace) -> Iterator[Finding]:
    """In-place ops that copy what they overwrite."""
    for write in trace.events:
        if isinstance(write, Write) and "cloned" in write.marks:
            yield Finding(
                write.place,
                f"{op_name(write.op)} saves a copy of {quoted(write.operand.text)} for backward: no memory is saved",
                "info",
                led_to(write),
                "the out-of-place form costs the same",
                cures=out_of_place(write, safe=True, unshared=True),
            )


RULE = Rule(
    code="IPL502",
    name="saves-no-memory",
    summary="an in-place op that clones its input for backward",
    default=False,
    check=check,
)
