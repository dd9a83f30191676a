"""An in-place op fails under the transforms of `torch.func`.

## What it does

Reports a write, in a function passed to `vmap`, of a mapped value into a tensor that is not mapped: PyTorch raises.
It also raises where a function passed to `grad`, `jacrev` and the like writes a tensor that is not one of its
arguments. Where it is unknown which values are mapped, writes to memory that is not transformed have the severity
`info`, shown only if the rule is selected.

## Why it matters

Inside `vmap` a mapped value stands for a whole batch. A tensor made in the function, as by `torch.zeros`,
is a single one and has no room for the batch:

    RuntimeError: output with shape [3] doesn't match the broadcast shape [2, 3]

`grad` transforms a function of its arguments: any other tensor is captured, and must not be written:

    RuntimeError: During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place
    operation (aten::add_.Tensor) that would mutate a captured Tensor. This is not supported; please rewrite the
    function being transformed to explicitly accept the mutated Tensor(s) as inputs.

## Bad

```python
import torch


def shifted(row):
    total = torch.ones(3)
    total += row  # error: [IPL501]
    return total


result = torch.func.vmap(shifted)(torch.randn(2, 3))
```

```python
import torch

seen = torch.zeros(())


def loss(row):
    value = row.square().sum()
    seen.add_(value.detach())  # error: [IPL501]
    return value


result = torch.func.grad(loss)(torch.ones(3)), seen
```

## Good

```python
import torch


def shifted(row):
    total = torch.ones(3)
    total = total + row
    return total


result = torch.func.vmap(shifted)(torch.randn(2, 3))
```

```python
import torch


def loss(row):
    value = row.square().sum()
    return value, value.detach()


gradient, seen = torch.func.grad(loss, has_aux=True)(torch.ones(3))
result = gradient, seen
```

The cure costs the memory of one result. A tensor made from a transformed value is transformed
itself, and may be written:

```python
import torch


def shifted(row):
    total = torch.ones_like(row)
    total += row
    return total


result = torch.func.vmap(shifted)(torch.randn(2, 3))
```

## Fix

The out-of-place form, with the name bound to its result, is safe as long as no alias is read for
the written value; where one is, there is no fix.
"""

from collections.abc import Iterator

from inplace_lint.rule import Finding, Rule, Trace, Write, led_to, op_name, out_of_place, quoted, refused


def check(trace: Trace) -> Iterator[Finding]:
    """Writes inside a transformed function to memory that is not transformed."""
    yield from refused(
        trace,
        {
            "unmapped": "which is not mapped, by a value that `vmap` maps over",
            "captured": "which is no argument of the function that `torch.func` differentiates",
        },
        "use the out-of-place form, make the tensor in the function (`x.new_zeros(...)`), or return what is to be kept",
        "made here, outside of what is transformed",
        cures=lambda write: out_of_place(write, safe=True, unshared=True),
    )
    for write in trace.events:
        if isinstance(write, Write) and "transformed" in write.marks and write.refusal is None:
            yield Finding(
                write.place,
                f"{op_name(write.op)} modifies {quoted(write.operand.text)}, which fails under `torch.func` transforms",
                "info",
                led_to(write),
                "use the out-of-place form in functions that are transformed",
                cures=out_of_place(write, safe=True, unshared=True),
            )


RULE = Rule(
    code="IPL501",
    name="transform-unsafe",
    summary="an in-place op that fails under `torch.func` transforms",
    check=check,
)
