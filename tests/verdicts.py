"""What becomes of a program, told by PyTorch and by the abstract PyTorch in the same words."""

from __future__ import annotations

import re
import sys
import weakref
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import torch
from torch_oracle import KINDS, STALE, Raised, caller, run

from inplace_lint.interpret.analysis.entries import entries
from inplace_lint.interpret.analysis.following import run_once
from inplace_lint.interpret.state.oracle import Oracle
from inplace_lint.interpret.state.program import Program
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import List, resolve
from inplace_lint.source.lower import lower
from inplace_lint.torch_model.events import Backward, RefusedUse, Write
from inplace_lint.torch_model.tensor import Tensor

PATH = "<program>"
REBOUND = re.compile(r"t\d|loss|total")
"""Variables of loops, which stand for one tensor after the other."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The first line that raises and why; for `stale`, with the lines of the writes that are to blame.

    `steps` counts the lines that ran before.
    """

    line: int | None = None
    kind: str = "runs"
    blamed: frozenset[int] = frozenset()
    steps: int = 0

    def agrees(self, real: Verdict) -> bool:
        """Whether this abstract verdict is the real one. Of several stale saves PyTorch names one."""
        if self.line == real.line is not None and real.kind == "stale-view":
            # PyTorch asks for the history of a view before it looks for other mistakes.
            return True
        same = (self.line, self.kind) == (real.line, real.kind)
        return same and (self.kind != "stale" or (bool(self.blamed) and self.blamed <= real.blamed))


@dataclass(eq=False)
class Held:
    """A saved tensor; it lives as long as the graph that saved it."""

    tensor: torch.Tensor


@dataclass(slots=True)
class Events:
    """Variables by line: whose memory was written, and whose was saved.

    Variables on one memory are one here, named by the first; what no variable holds is left out.
    """

    writes: set[tuple[int, str]] = field(default_factory=set)
    saves: set[tuple[int, str]] = field(default_factory=set)
    requires_grad: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)


def real_verdict(text: str) -> Verdict | None:
    """PyTorch's verdict; None if the program fails for a reason of its own."""
    steps = 0

    def count(frame: FrameType, event: str, _: object) -> Any:
        nonlocal steps
        if frame.f_code.co_filename != PATH:
            return None
        steps += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        outcome = run(text, PATH)
    finally:
        sys.settrace(before)
    if not isinstance(outcome, Raised):
        return Verdict()
    if re.match(STALE, outcome.message):
        return Verdict(outcome.line, "stale", steps=steps)
    kind = next((kind for kind, pattern in KINDS.items() if re.match(pattern, outcome.message)), None)
    if kind == "expanded" and outcome.kind == "backward":
        return None  # The backward of a filler stumbles over the expanded tensor that it filled.
    return Verdict(outcome.line, kind, steps=steps) if kind else None


def record(text: str, steps: int = 0) -> tuple[Events, frozenset[int]]:
    """What PyTorch does line by line, and the lines that were the first to write something saved.

    With `steps`, it ends before that step.
    The hooks that show what is saved switch PyTorch's own check off, so the verdict is apart.
    """
    namespace: dict[str, Any] = {"__name__": "program"}
    events, blamed = Events(), set[int]()
    saved: list[tuple[torch.Tensor, int]] = []
    places: list[tuple[int, int]] = []
    made: list[tuple[weakref.ref[Held], int]] = []
    versions: dict[str, int] = {}
    line = taken = 0

    def pack(tensor: torch.Tensor) -> Held:
        saved.append((tensor, tensor._version))
        held = Held(tensor)
        made.append((weakref.ref(held), tensor.untyped_storage()._cdata))
        return held

    def after_line() -> None:
        # What an op inside another has saved, and nobody can differentiate, is gone by now.
        places.extend((line, storage) for held, storage in made if held() is not None)
        made.clear()
        for name, tensor in _named(namespace):
            if not tensor.is_inference():
                if tensor._version != versions.get(name, tensor._version):
                    events.writes.add((line, name))
                versions[name] = tensor._version
        if any(tensor._version != version for tensor, version in saved):
            blamed.add(line)
            saved[:] = [(tensor, version) for tensor, version in saved if tensor._version == version]

    class Stop(Exception):
        pass

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal line, taken
        if frame.f_code.co_filename != PATH:
            return None
        after_line()
        taken += event == "line"
        if steps and taken >= steps:
            raise Stop
        # After a return the rest of the caller's line is still to run.
        current = caller(frame, PATH) if event == "return" else frame
        line = current.f_lineno if current else line
        return trace

    torch.manual_seed(0)
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda held: held.tensor):
            exec(compile(text, PATH, "exec"), namespace)
    except Stop:
        pass
    finally:
        sys.settrace(before)
        torch.set_grad_enabled(True)
    holders: dict[int, str] = {}
    for name, tensor in _named(namespace):
        holders.setdefault(tensor.untyped_storage()._cdata, name)
        if not tensor.is_inference():
            events.names.add(name)
        if tensor.requires_grad:
            events.requires_grad.add(name)
    events.saves = {(place, holders[storage]) for place, storage in places if storage in holders}
    return events, frozenset(blamed)


def _named(namespace: dict[str, Any]) -> list[tuple[str, torch.Tensor]]:
    found = []
    for name, value in namespace.items():
        if REBOUND.match(name):
            continue
        if isinstance(value, torch.Tensor):
            found.append((name, value))
        elif isinstance(value, tuple):
            found += [(f"{name}[{i}]", item) for i, item in enumerate(value) if isinstance(item, torch.Tensor)]
    return found


def interpreted(text: str) -> Run:
    """The text on the abstract PyTorch."""
    module = Program(lambda path: None, lower).add(PATH, text)
    return run_once(next(iter(entries(module))), Oracle(), set())


def abstract_verdict(run: Run) -> Verdict:
    """The abstract PyTorch's verdict."""
    for event in run.torch.trace.events:
        line = event.site.span.row
        if isinstance(event, (Write, RefusedUse)) and event.refusal and event.refusal.certainty == "certain":
            return Verdict(line, event.refusal.kind)
        if isinstance(event, Backward) and event.via != "return":
            stale = [stale for stale in event.stale if stale.certainty == "certain"]
            if stale:
                return Verdict(line, "stale", frozenset(found.write.site.span.row for found in stale))
    return Verdict()


def abstract_events(run: Run, until: int | None) -> Events:
    """What the abstract PyTorch does line by line, before the line that raises."""
    last = until or sys.maxsize
    named: list[tuple[str, Tensor]] = []
    for name, ref in run.frames[PATH].variables.items():
        value = resolve(ref.value)
        if REBOUND.match(name):
            continue
        if isinstance(value, Tensor):
            named.append((name, value))
        elif isinstance(value, List):
            parts = [resolve(item.value) for item in value.items]
            named += [(f"{name}[{i}]", part) for i, part in enumerate(parts) if isinstance(part, Tensor)]
    events = Events()
    holders: dict[int, str] = {}
    for name, tensor in named:
        holders.setdefault(id(tensor.storage), name)
        events.names.add(name)
        # An inference tensor counts no versions.
        events.writes |= {
            (write.site.span.row, name)
            for write, counter, _ in tensor.storage.writes
            if counter is tensor.counter
            and not tensor.inference
            and _bound_at(run, name) < write.time
            and write.site.span.row < last
        }
        if tensor.need:
            events.requires_grad.add(name)
    events.saves = {
        (save.site.span.row, holders[id(save.storage)])
        for save in run.torch.saved
        if id(save.storage) in holders and save.site.span.row < last
    }
    return events


def _bound_at(run: Run, name: str) -> int:
    slot = run.frames[PATH].variables[name.partition("[")[0]].binding
    return slot.bound_at if slot else 0
