"""An op saved its input for backward, and the input was written afterwards.

## What it does

Reports a write to an argument that an earlier op saved for its backward pass. The related line is
that op.

## Why it matters

Many ops compute their gradient from their inputs: `a * b`, `linear`, `conv2d`, `pow`, `gelu`,
`layer_norm`. They save the input itself, not a copy, with its version. Each in-place write
increments the version, and backward finds the mismatch:

    RuntimeError: one of the variables needed for gradient computation has been modified by an
    inplace operation: [torch.FloatTensor [3]], which is output 0 of Mul, is at version 1;
    expected version 0 instead.

PyTorch's anomaly mode names the op whose backward failed, never the line that wrote.

## Bad

```python
import torch

x = torch.randn(3, requires_grad=True)
h = x * 2
squares = h ** 2
h += 1  # error: [IPL201]
(squares + h).sum().backward()
result = x.grad
```

A loop that fills a tensor from its own earlier parts has the same error: the step saves a view of
memory that the assignment writes.

```python
import torch

drive = torch.rand(4, requires_grad=True)
states = torch.ones(4)
for t in range(1, 4):
    states[t] = states[t - 1] * drive[t]  # error: [IPL201]
states.sum().backward()
result = drive.grad
```

## Good

```python
import torch

x = torch.randn(3, requires_grad=True)
h = x * 2
squares = h ** 2
h = h + 1
(squares + h).sum().backward()
result = x.grad
```

The cure costs the memory of one result. In a loop, keep the steps in a list and `stack` them once:

```python
import torch

drive = torch.rand(4, requires_grad=True)
states = [torch.ones(())]
for t in range(1, 4):
    states.append(states[-1] * drive[t])
torch.stack(states).sum().backward()
result = drive.grad
```

Addition saves nothing, so a write after it is right:

```python
import torch

x = torch.randn(3, requires_grad=True)
h = x * 2
shifted = h + 5
h += 1
(shifted + h).sum().backward()
result = x.grad
```

## Fix

The fix replaces the in-place op by its out-of-place form, and binds the result to the name; a module
loses its `inplace=True`; item assignment writes a copy (`x = x.clone()`). That is safe as long as no
alias is read for the written value, and unsafe if the caller, or an attribute, may be such an alias.
Otherwise the fix makes the op save a copy of its input, with `.clone()`: that is always safe, as no value
changes.

## Known limits

A version belongs to the whole storage. A write to a part that backward does not need raises all the
same, and is reported.
"""

from collections.abc import Iterator

from inplace_lint.rule import LIBRARY_WRITES, Finding, Rule, Trace, broken, op_name, quoted, raises_in_backward


def check(trace: Trace) -> Iterator[Finding]:
    """Writes whose earliest broken save is an input of an op."""
    for found in broken(trace):
        write, first = found.write, found.saves[0].save
        if not first.is_result and not first.leaf and write.op not in LIBRARY_WRITES:
            yield raises_in_backward(
                found,
                f"{quoted(write.operand.text)}, which {op_name(first.op)} saved for backward",
                "use the out-of-place form (`x = x + y`), or `.clone()` before the write",
            )


RULE = Rule(
    code="IPL201",
    name="saved-input-modified",
    summary="in-place change of a tensor that an earlier op saved as its input",
    check=check,
)
