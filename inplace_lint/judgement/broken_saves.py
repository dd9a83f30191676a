"""Writes to saved tensors, and the backward passes that read them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from inplace_lint.effort import STEP
from inplace_lint.judgement.intent import clone_put_back
from inplace_lint.judgement.reason import silent
from inplace_lint.source.place import Site
from inplace_lint.torch_model.events import Backward, Certainty, StaleSave, Trace, Write
from inplace_lint.torch_model.op_names import base_name
from inplace_lint.torch_model.tensor import Assumption

DECODING = silent(
    "decoding",
    "a state or cache that was passed in is updated, as in decoding, where nobody differentiates",
    """
    import torch
    from torch import nn


    class Decoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(3))

        def forward(self, x, state):
            y = state * self.weight
            state.copy_(x)
            return y


    decoder = Decoder()
    with torch.no_grad():
        decoder(torch.rand(3), torch.rand(3))
    """,
)
EVALUATED = silent(
    "evaluated",
    "a model that the program has put into evaluation mode writes, and no backward pass is in view",
    """
    import torch
    from torch import nn


    class Decoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(3))

        def forward(self, x, rows):
            rows[0] = x * self.weight
            return rows * self.weight


    class Engine:
        def __init__(self):
            self.decoder = Decoder().eval()
            self.rows = torch.zeros(2, 3)

        def fed(self, first, second):
            begun = self.decoder(first, self.rows)
            return begun + self.decoder(second, self.rows)
    """,
)


@dataclass(frozen=True, slots=True)
class Broken:
    """A write, the saves that it made stale, and the backward pass that reads them."""

    write: Write
    saves: tuple[StaleSave, ...]
    backward: Backward

    @property
    def site(self) -> Site:
        """Where to mend the write; where the same line saved and wrote, the call that made the difference."""
        save = self.saves[0].save
        if save.site == self.write.place:
            for ours, theirs in zip(self.write.stack, save.stack, strict=False):
                if ours != theirs:
                    return ours
        return self.write.place

    @property
    def certainty(self) -> Certainty:
        """Certain if one of the saves is."""
        return "certain" if any(save.certainty == "certain" for save in self.saves) else "assumed"

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """What must hold for the first save to matter."""
        return self.saves[0].assumptions


def broken(trace: Trace, hidden: bool = False) -> Iterable[Broken]:
    """Each write that made saves stale, once for each backward pass; the earliest save first.

    With `hidden`, saves whose writes autograd does not see.
    """
    return trace.once(_broken_unseen if hidden else _broken_seen)


def _broken_seen(trace: Trace) -> Iterator[Broken]:
    return _broken(trace, hidden=False)


def _broken_unseen(trace: Trace) -> Iterator[Broken]:
    return _broken(trace, hidden=True)


def _broken(trace: Trace, hidden: bool) -> Iterator[Broken]:
    for event in trace.events:
        if not isinstance(event, Backward):
            continue
        groups: dict[int, list[StaleSave]] = {}
        trace.effort.spend(STEP * (len(event.hidden) + len(event.stale)))
        for stale in event.hidden if hidden else event.stale:
            if hidden and _is_put_back(stale, event):
                continue
            if not (stale.write.is_refused or _is_of_inference(stale.write, event)):
                groups.setdefault(id(stale.write), []).append(stale)
        for saves in groups.values():
            saves.sort(key=lambda stale: stale.save.time)
            yield Broken(saves[0].write, tuple(saves), event)


def _is_of_inference(write: Write, backward: Backward) -> bool:
    """Whether a write is one of those that programs make where nobody differentiates."""
    if EVALUATED.on and backward.via == "return" and "evaluated" in write.marked:
        return True
    return DECODING.on and _updates_state(write)


def _is_put_back(stale: StaleSave, event: Backward) -> bool:
    """Whether the last write before a backward pass puts back a clone of what was saved."""
    count, last = stale.write.storage.count_until, stale.write.storage.latest(event.time)[-1:]
    clone = clone_put_back(last[0]) if last else None
    return clone is not None and count(clone.made_at) == count(stale.save.time)


# How people bring a cache up to date.
_UPDATES = frozenset({"copy_", "index_copy_", "_foreach_copy_"})


def _updates_state(write: Write) -> bool:
    """Whether a cache, or a state that came from outside, is brought up to date, as where nobody differentiates."""
    tensor = write.operand.tensor
    words = set(re.split("[^a-z]+", tensor.label))
    if "decoding" in write.marked:
        return True
    return tensor.external and base_name(write.op) in _UPDATES and not words.isdisjoint(("state", "states", "cache"))
