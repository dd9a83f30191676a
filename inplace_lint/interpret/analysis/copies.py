"""Ops that copy only where they must: paths on which it matters whether they do, and what is found if they do not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from inplace_lint.findings.finding import Finding
from inplace_lint.source.place import Site
from inplace_lint.torch_model.events import Read, Trace, Write
from inplace_lint.torch_model.machine import Machine
from inplace_lint.torch_model.tape import Undecided
from inplace_lint.torch_model.tensor import Assumption, Storage


def turns_on_copies(torch: Machine) -> bool:
    """Whether something was written on a path that another holder sees if an op did not copy."""
    if not any(op.of.writes or op.copy.writes for op in torch.undecided):
        return False
    torch.trace.effort.spend(len(torch.trace.events) + len(torch.saved))
    last_read: dict[Storage, int] = {}
    for event in torch.trace.events:
        if isinstance(event, Read):
            last_read[event.operand.tensor.storage] = event.time
    saved = {save.storage for save in torch.saved}.union(op.of for op in torch.undecided if op.guarded)
    for group, since in _alike(torch.undecided):
        for written in group:
            first = next((write.time for write, _, _ in written.writes if write.time > since), None)
            if first is not None and any(
                other is not written and (other in saved or last_read.get(other, 0) > first) for other in group
            ):
                return True
    return False


def _alike(undecided: Iterable[Undecided]) -> Iterator[tuple[list[Storage], int]]:
    """The memories that are one and the same if no op copied, each group with the time of the first such op."""
    groups: dict[Storage, list[Storage]] = {}
    began: dict[Storage, int] = {}
    for op in undecided:
        group = groups.setdefault(op.of, [op.of])
        group.append(op.copy)
        groups[op.copy] = group
        began.setdefault(group[0], op.time)
    for first, since in began.items():
        yield groups[first], since


def supposed(findings: Iterable[Finding], trace: Trace) -> Iterator[Finding]:
    """Of the findings on a path on which ops did not copy, those about memory that they gave: they say so."""
    conditions: dict[Site, Assumption] = {}
    for event in trace.events:
        if isinstance(event, Write) and event.alike:
            conditions.setdefault(event.place, event.alike[0])
    for finding in findings:
        condition = conditions.get(finding.site)
        if condition is not None:
            severity = "warning" if finding.severity == "error" else finding.severity
            yield replace(finding, assumes=(*finding.assumes, condition), severity=severity, assumed=True)
