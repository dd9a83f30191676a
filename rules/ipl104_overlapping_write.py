"""An in-place op writes memory that several elements share, or that it also reads.

## What it does

Reports in-place arithmetic on a tensor made by `expand` or `broadcast_to`, and writes whose source
and target are overlapping parts of the same tensor (`a[1:] += a[:-1]`, `a -= a[0]`), or all of it in
two orders (`w += w.T`, `x[:, None].sub_(x[None])`). Also parameters that an object keeps, if they are made of what
`expand` gave: the first step of an optimizer writes them.

## Why it matters

If several elements share one memory location, the result depends on the order of evaluation. PyTorch
raises at the write:

    RuntimeError: unsupported operation: more than one element of the written-to tensor refers to a
    single memory location. Please clone() the tensor before performing the operation.

It checks whole rows only. For columns the result is silently wrong: `a[:, 1:] = a[:, :-1]` fills all of
`a` with its first column, and `a -= a[:, :1]` clears that column and leaves the others unchanged.

A loop that puts rows in the place of others does the same, turn by turn: `x[i] = x[order[i]]`.

## Bad

```python
import torch

bias = torch.zeros(1, 3)
rows = bias.expand(4, 3)
rows += torch.randn(4, 3)  # error: [IPL104]
result = rows
```

## Good

```python
import torch

bias = torch.zeros(1, 3)
rows = bias.expand(4, 3).clone()
rows += torch.randn(4, 3)
result = rows
```

The cure costs the memory that `expand` had avoided. A shift within one tensor needs a copy of its
source, for the same reason:

```python
import torch

history = torch.arange(4.0)
history[1:] = history[:-1].clone()
result = history
```

Columns need it, too:

```python
import torch

frames = torch.arange(8.0).reshape(2, 4)
frames[:, 1:] = frames[:, :-1].clone()
result = frames
```

A loop that moves rows needs a copy from before the loop:

```python
import torch

cache, order = torch.arange(3.0), [1, 0, 0]
before = cache.clone()
for i, source in enumerate(order):
    cache[i] = before[source]
result = cache
```

## Fix

The fix adds `.clone()` where the memory becomes shared, or to the source of a copy within one tensor.
Where PyTorch raises, that is safe. For columns it changes the values, as intended, and is unsafe.

## Known limits

Setting rows, `masked_fill_` and `index_put_` on an expanded tensor do not raise. They write through
to all rows; see IPL306.
"""

from collections.abc import Iterator

from inplace_lint.rule import (
    Cure,
    Finding,
    Related,
    Rule,
    Trace,
    Write,
    called_from,
    led_to,
    op_name,
    quoted,
    refused,
    separate_memory,
    untrainable,
)

_OVERLAPS = "whose memory overlaps with the source of the write"


def check(trace: Trace) -> Iterator[Finding]:
    """Writes to memory that several elements share."""
    yield from refused(
        trace,
        {"expanded": "whose elements share memory", "overlap": _OVERLAPS},
        "write into a copy: `.clone()`, or `.repeat(...)` instead of `.expand(...)`",
        "the memory is shared from here",
        cures=separate_memory,
    )
    for write in trace.events:
        if isinstance(write, Write) and "torn" in write.marks:
            yield Finding(
                write.place,
                f"{op_name(write.op)} modifies {quoted(write.operand.text)}, {_OVERLAPS}: elements are read after they "
                "were overwritten",
                "warning",
                led_to(write),
                "copy the source first: `.clone()`",
                cures=separate_memory(write),
            )
        elif isinstance(write, Write) and "moved" in write.marks:
            yield Finding(
                write.place,
                f"{op_name(write.op)} modifies {quoted(write.operand.text)}, of which later rounds of the loop read "
                "rows that earlier ones have overwritten",
                "warning",
                led_to(write),
                "read from a copy that is made before the loop: `.clone()`",
            )
    for made in untrainable(trace):
        yield Finding(
            made.site,
            "this parameter's elements share memory, which no step of an optimizer can write",
            "warning",
            ((Related("the memory is shared from here", made.origin, "bind"),) if made.origin else ())
            + called_from(made.stack),
            "make it of a copy: `.clone()`, or `.repeat(...)` instead of `.expand(...)`",
            cures=(Cure("clone", (made.origin,), safe=True),) if made.origin else (),
        )


RULE = Rule(
    code="IPL104",
    name="overlapping-write",
    summary="in-place change of expanded memory, or with overlapping source and target",
    check=check,
)
