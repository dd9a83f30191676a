"""A function writes its caller's tensor.

## What it does

Reports a write to a tensor argument whose caller reads that tensor again, or keeps it in an attribute; the related
lines are the call and the read. Where no caller is in view, or callers only pass on an argument of their own, a write
of which only the result is used (`scale * x.pow_(2)`, `diff = x.sub_(y)`) is reported, and so is one by a second name
for the argument (`y = x; y += 1`), or to a tensor of a dictionary that the function has copied
(`sample = dict(sample); sample["x"] *= 2`): the copy has the caller's tensors.
Others are advice (`info`). A function that announces the write is not reported: its name ends in one underscore, its
documentation says that it works in-place or that a parameter is working space, it is called with `inplace` or `out`,
the parameter's name says that it is filled or updated (`out`, `result`, `buf`, `kv_cache`, `running_mean`), or it
returns no tensor. Nor is a function whose write can only be meant for the caller: it neither reads nor returns the
written memory, the argument has only zeros or a fill value, or the caller returns the tensor itself.

## Why it matters

An argument is passed without a copy. `scaled = normalise(batch)` seems to leave `batch` unchanged;
if it does not, every later use of `batch` computes with other values. PyTorch raises nothing.

## Bad

```python
import torch


def normalise(values):
    values -= values.mean()  # warning: [IPL305]
    return values / values.std()


batch = torch.arange(4.0)
scaled = normalise(batch)
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

The cure costs the memory of one result. A name with an underscore, or the documentation, informs the caller, and a call
that is a statement of its own shows that the write is its purpose:

```python
import torch


def center_(values):
    values -= values.mean()
    return values


batch = torch.arange(4.0)
center_(batch)
result = batch
```

```python
import torch


def summed(values, totals):
    '''The sum of all.

    Args:
        totals: working space.
    '''
    totals[0] = values[0]
    for place in range(1, len(values)):
        totals[place] = totals[place - 1] + values[place]
    return totals[-1].clone()


totals = torch.rand(4)
last = summed(torch.arange(4.0), totals)
result = totals - last
```

## Fix

The out-of-place form, or writing into a copy, is unsafe: other callers may rely on the write.
"""

from collections.abc import Iterator

from inplace_lint.rule import (
    Finding,
    Read,
    Related,
    Rule,
    Site,
    Trace,
    Write,
    argument_of,
    broken,
    in_shallow_copy,
    is_for_result,
    last_name,
    op_name,
    out_of_place,
    quoted,
    second_name_of,
    stale_reads,
)


def _keeps(place: str) -> str:
    """How a caller keeps what it has passed; `place` is how the source spells where, if it has a name."""
    name = last_name(place)
    return f"keeps as {quoted(name)}" if name.isidentifier() else "keeps"


def check(trace: Trace) -> Iterator[Finding]:
    """Writes of an argument: a warning where a caller in view reads it again, advice elsewhere."""
    for found in stale_reads(trace):
        if found.how == "argument":
            write, read = found.write, found.read
            call = Related("called here", _call(write, read), "call")
            again = "read again here" + (", by the next call" if _is_in_next_call(write, read) else "")
            yield Finding(
                write.place,
                f"{op_name(write.op)} modifies {quoted(write.operand.text)}, an argument that the caller "
                + ("reads again" if found.in_view else _keeps(found.name)),
                "warning",
                (call, Related(again, read.site, "read")) if found.in_view else (call,),
                "work on a copy (`.clone()`), use the out-of-place form, or say so in the function's name (`foo_`)",
                cures=out_of_place(write),
            )
    told = {id(found.write) for found in stale_reads(trace)} | {id(found.write) for found in broken(trace)}
    chains: set[tuple[object, ...]] = set()  # `entry.clamp_(0).pow_(2)` is one cause
    for event in trace.events:
        if not isinstance(event, Write) or event.documented or not argument_of(event, trace):
            continue
        copied = in_shallow_copy(event) if id(event) not in told else None
        if copied is not None:
            if event.chain not in chains:
                yield _of_shallow_copy(event, copied.label, trace)
            chains.add(event.chain)
        else:
            untold = id(event) not in told
            for_result, renamed = untold and is_for_result(event), _renamed(event, trace) if untold else ""
            if for_result or renamed or not event.stack:
                yield _unseen_by_callers(event, trace, for_result, renamed)


def _renamed(write: Write, trace: Trace) -> str:
    """The argument that is changed by a second name; what private functions change, their callers in view show."""
    return "" if last_name(trace.entry).startswith("_") else second_name_of(write, trace)


def _unseen_by_callers(write: Write, trace: Trace, for_result: bool, renamed: str) -> Finding:
    """What is found where no caller is in view: a warning if the argument is taken for something new, else advice."""
    wanted = for_result or bool(renamed)
    also = f"which is also {quoted(renamed)}, " if renamed else ""
    return Finding(
        write.site,
        f"{op_name(write.op)} modifies {quoted(write.operand.text)}, {also}an argument of `{trace.entry}`"
        + (", though only the result is used" if for_result else ""),
        "warning" if wanted else "info",
        (),
        "use the out-of-place form" if wanted else "work on a copy (`.clone()`) if callers do not expect it",
        assumed=wanted,
        cures=out_of_place(write) if wanted else (),
    )


def _of_shallow_copy(write: Write, copied: str, trace: Trace) -> Finding:
    """What is found of a function that copies its argument, but not the tensors there, and changes one.

    The function called may be right to change what it is given.
    """
    op = op_name(write.op) if not write.stack else f"{op_name(write.op)}, in what is called here,"
    shared = f"which a shallow copy shares with an argument of `{trace.entry}`"
    return Finding(
        write.stack[0] if write.stack else write.site,
        f"{op} modifies {quoted(copied if write.stack else write.operand.text)}, {shared}",
        "warning",
        (Related(f"{op_name(write.op)} writes here", write.site, "write"),) if write.stack else (),
        "copy the tensor, too (`.clone()`), or use the out-of-place form",
        assumed=True,
        cures=() if write.stack else out_of_place(write),
    )


def _is_in_next_call(write: Write, read: Read) -> bool:
    """Whether a loop calls the function that wrote another time, on the same way, which then reads."""
    return read.stack == write.stack and read.calls != write.calls


def _call(write: Write, read: Read) -> Site:
    """The call by which the way to the write leaves the way to the read."""
    ways = zip(write.stack, read.stack, strict=False)
    shared = next((depth for depth, (ours, theirs) in enumerate(ways) if ours != theirs), len(read.stack))
    return write.stack[min(shared, len(write.stack) - 1)]


RULE = Rule(
    code="IPL305",
    name="argument-modified",
    summary="a function writes a tensor that its caller reads again",
    check=check,
)
