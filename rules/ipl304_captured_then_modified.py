"""A tensor is kept in a container, an attribute or by a hook, and then overwritten.

## What it does

Reports an in-place op on a tensor that a list, a dict, an attribute or a hook keeps, when the kept
tensor is read or returned afterwards; an op of which only the result is used, on the memory of a parameter; a reset
that takes up what was changed; and a second name for a network that is trained, if that promises one which is not.

## Why it matters

A container holds the tensor itself, not a copy. Collecting features from a network whose next layer
is `nn.ReLU(inplace=True)` collects activated features. PyTorch raises nothing.

## Bad

```python
import torch

x = torch.randn(4)
features = []
features.append(x)
x = x.relu_()  # warning: [IPL304]
features.append(x)
result = torch.stack(features)
```

The next layer can be far from the loop that collects:

```python
import torch
from torch import nn

layers = nn.Sequential(nn.Conv1d(2, 2, 1), nn.ReLU(inplace=True))  # warning: [IPL304]
x = torch.randn(1, 2, 4)
features = []
for layer in layers:
    x = layer(x)
    features.append(x)
result = torch.stack(features)
```

A parameter is a variable, and is mostly kept as one. A copy was meant where it is compared or averaged with itself,
or copied onto itself, or where it shares the memory of an earlier tensor (with `nn.Parameter(data[:8])` the optimizer
changes the data):

```python
import torch
from torch import nn

net = nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
best = {name: parameter for name, parameter in net.named_parameters()}
net(torch.ones(2, 3)).sum().backward()
optimizer.step()  # warning: [IPL304]
with torch.no_grad():
    for name, parameter in net.named_parameters():
        parameter.copy_(best[name])
result = net.weight.detach()
```

Binding a network to a second name copies nothing, so a target network is trained with the one that it was to stand
still for:

```python
import torch
from torch import nn

net = nn.Linear(1, 1)
target_net = net  # warning: [IPL304]
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for x in torch.ones(2, 4, 1):
    with torch.no_grad():
        wanted = target_net(x) + 1
    loss = (net(x) - wanted).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
result = target_net.weight.detach()
```

`detach()` copies nothing, so that the sizes of the weights are now the weights:

```python
import torch
from torch import nn

layer = nn.Linear(3, 1)
size = layer.weight.detach().abs_().max()  # warning: [IPL304]
result = layer.weight.detach().sum() / size
```

An attribute that begins anew with what another one keeps needs a copy of it:

```python
import torch


class Counts:
    def __init__(self):
        self.blank = torch.zeros(3)
        self.reset()

    def reset(self):
        self.table = self.blank

    def update(self, row):
        self.table += row  # warning: [IPL304]


counts = Counts()
for row in torch.eye(3):
    counts.reset()
    counts.update(row)
result = counts.table
```

## Good

```python
import torch

x = torch.randn(4)
features = []
features.append(x)
x = x.relu()
features.append(x)
result = torch.stack(features)
```

The cure costs the memory of one result. In a network it is an out-of-place layer:

```python
import torch
from torch import nn

layers = nn.Sequential(nn.Conv1d(2, 2, 1), nn.ReLU())
x = torch.randn(1, 2, 4)
features = []
for layer in layers:
    x = layer(x)
    features.append(x)
result = torch.stack(features)
```

To keep weights, take a copy:

```python
import torch
from torch import nn

net = nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
best = {name: parameter.clone() for name, parameter in net.named_parameters()}
net(torch.ones(2, 3)).sum().backward()
optimizer.step()
with torch.no_grad():
    for name, parameter in net.named_parameters():
        parameter.copy_(best[name])
result = net.weight.detach()
```

```python
import copy

import torch
from torch import nn

net = nn.Linear(1, 1)
target_net = copy.deepcopy(net)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for x in torch.ones(2, 4, 1):
    with torch.no_grad():
        wanted = target_net(x) + 1
    loss = (net(x) - wanted).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
result = target_net.weight.detach()
```

```python
import torch
from torch import nn

layer = nn.Linear(3, 1)
size = layer.weight.detach().abs().max()
result = layer.weight.detach().sum() / size
```

```python
import torch


class Counts:
    def __init__(self):
        self.blank = torch.zeros(3)
        self.reset()

    def reset(self):
        self.table = self.blank.clone()

    def update(self, row):
        self.table += row


counts = Counts()
for row in torch.eye(3):
    counts.reset()
    counts.update(row)
result = counts.table
```

Keeping a tensor after the last write is right:

```python
import torch

x = torch.randn(4)
features = []
for _ in range(2):
    x = x * 2
    x.relu_()
    features.append(x)
result = torch.stack(features)
```

## Fix

The out-of-place form, a module without `inplace=True`, or storing a clone changes the values in the
container. It is therefore unsafe: apply it where the old values were meant.
"""

from collections.abc import Iterator

from inplace_lint.rule import (
    Finding,
    OwnState,
    Related,
    Rule,
    StaleRead,
    Trace,
    broken,
    led_to,
    of_kept,
    op_name,
    out_of_place,
    quoted,
    refetched,
    shared_networks,
    spent_parameters,
    stale_reads,
    taken_again,
)


def check(trace: Trace) -> Iterator[Finding]:
    """Tensors kept in a container or attribute that are overwritten before they are read."""
    exchanged = list(shared_networks(trace))
    shared = {write.site for write, _, _ in exchanged}
    for found in stale_reads(trace):
        write, read = found.write, found.read
        if found.held.site in shared:
            continue
        if found.network is not None and found.network.site is not None:
            yield Finding(
                found.network.site,
                f"{quoted(found.network.label)} is a second name for a network that {op_name(write.op)} trains: "
                "it does not stay as it is",
                "warning",
                (
                    Related(f"{op_name(write.op)} writes here", write.place, "write"),
                    Related("it is read here, changed", read.site, "read"),
                ),
                "make a copy of the network (`copy.deepcopy(...)`)",
                role="bind",
            )
        elif found.how == "captured":
            kept = (Related("kept here", found.held.site, "bind"),) if found.held.site not in (None, read.site) else ()
            read_late = Related("the kept tensor is read here, changed", read.site, "read")
            yield Finding(
                write.place,
                f"{op_name(write.op)} modifies {quoted(write.operand.text)}, which was kept for later",
                "warning",
                (*kept, *_other_place(found), read_late, *led_to(write)),
                "keep a copy (`.clone()`), or use the out-of-place form",
                cures=of_kept(found),
            )

    for write, still, trained in exchanged:
        yield Finding(
            write.place,
            f"assigning `.data` gives parameters of {quoted(still)} the memory of those of {quoted(trained)}, so "
            "whatever changes one network changes both",
            "warning",
            led_to(write),
            "copy the values (`.data.copy_(...)`)",
        )

    for event in trace.events:
        if isinstance(event, OwnState):
            yield Finding(
                event.site,
                f"`{event.text}` is the model's own memory, which training changes: loading it changes nothing",
                "warning",
                (Related("it is read here, to be loaded into that model", event.loaded, "read"),),
                "keep a copy (`copy.deepcopy(model.state_dict())`)",
            )

    for write in refetched(trace):
        yield Finding(
            write.place,
            f"{op_name(write.op)} modifies {quoted(write.operand.text)}, a part of what the object keeps, "
            "so that the same item is changed again whenever it is fetched",
            "warning",
            led_to(write),
            "keep a copy (`.clone()`), or use the out-of-place form",
        )

    for reset in taken_again(trace):
        write, again = reset.write, reset.again
        yield Finding(
            write.place,
            f"{op_name(write.op)} modifies {quoted(write.operand.text)}, which is {quoted(reset.kept.label)}: to take "
            "that up again resets nothing",
            "warning",
            (Related("used again here, to begin anew", again.site, "read"), *led_to(write)),
            "keep a copy (`.clone()`), or use the out-of-place form",
            cures=out_of_place(write),
        )

    told = {id(found.write) for found in stale_reads(trace)} | {id(found.write) for found in broken(trace)}
    for write in spent_parameters(trace):
        if id(write) not in told:
            yield Finding(
                write.place,
                f"{op_name(write.op)} modifies {quoted(write.operand.text)}, memory of a parameter, though only the "
                "result is used",
                "warning",
                led_to(write),
                "use the out-of-place form",
                assumed=True,
                cures=out_of_place(write),
            )


def _other_place(found: StaleRead) -> tuple[Related, ...]:
    """Where the kept tensor was put into the attribute through which it is written."""
    written = found.write.operand.binding
    if written is None or written.kind != "attribute" or written.source is None or written.place == found.held.place:
        return ()
    told = (None, found.held.site, found.read.site, found.write.place)
    return (Related("the memory is shared from here", written.site, "bind"),) if written.site not in told else ()


RULE = Rule(
    code="IPL304",
    name="captured-then-modified",
    summary="a tensor kept in a container, an attribute or by a hook is overwritten",
    check=check,
)
