"""An augmented assignment adds at positions that repeat, and all but one of the additions are lost.

## What it does

Reports `counts[labels] += 1` where the positions very likely repeat: classes that `argmax` chose, bins of `bucketize`,
cells of a grid, what `randint` drew, and what goes by a name like `labels`, `preds` or `edge_index`. A tensor that is
added to new zeros, `sums[index] += rows`, is reported as well: where no position repeats, it would be assigned.

## Why it matters

Python first takes the elements out, which copies them, then adds, and puts the sums back. Two additions to the same
place begin with the same old value, and the later one overwrites the other. PyTorch raises nothing: counts, degrees and
confusion matrices are too small.

## Bad

```python
import torch

scores = torch.tensor([[0.1, 0.9], [0.2, 0.8], [0.7, 0.3]])
counts = torch.zeros(2)
counts[scores.argmax(dim=1)] += 1  # warning: [IPL309]
result = counts
```

```python
import torch

points = torch.tensor([[0.1, 0.2], [0.3, 0.4], [1.5, 0.5]])
cells = points.floor().long()
grid = torch.zeros(2, 2)
grid[cells[:, 0], cells[:, 1]] += 1  # warning: [IPL309]
result = grid
```

## Good

```python
import torch

scores = torch.tensor([[0.1, 0.9], [0.2, 0.8], [0.7, 0.3]])
counts = torch.zeros(2)
counts.index_add_(0, scores.argmax(dim=1), torch.ones(3))
result = counts
```

```python
import torch

points = torch.tensor([[0.1, 0.2], [0.3, 0.4], [1.5, 0.5]])
cells = points.floor().long()
grid = torch.zeros(2, 2)
grid.index_put_((cells[:, 0], cells[:, 1]), torch.tensor(1.0), accumulate=True)
result = grid
```

Both add once for each position. `torch.bincount` counts, and `scatter_add_` adds along one dimension.
"""

from collections.abc import Iterator

from inplace_lint.rule import Finding, Rule, Trace, led_to, quoted, repeated_additions


def check(trace: Trace) -> Iterator[Finding]:
    """Additions at positions that repeat."""
    for write in repeated_additions(trace):
        yield Finding(
            write.place,
            f"what is added to {quoted(write.operand.text)} at positions that repeat counts only once",
            "warning",
            led_to(write),
            "use `index_add_`, or `index_put_(..., accumulate=True)`",
        )


RULE = Rule(
    code="IPL309",
    name="repeated-positions",
    summary="additions at positions that repeat, of which one each counts",
    check=check,
)
