"""From what was recorded to findings: real events, judged by the rules that judge abstract ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.findings.finding import Finding
from inplace_lint.findings.order import diagnostic_of, with_places
from inplace_lint.findings.registry import registry
from inplace_lint.runtime.recorder.frames import Place
from inplace_lint.runtime.recorder.records import Change, Keep
from inplace_lint.source.place import Site, Span
from inplace_lint.torch_model.events import Backward, Refusal, Refused, RefusedUse, StaleSave, Trace, Write
from inplace_lint.torch_model.operands import Operand
from inplace_lint.torch_model.tensor import YES, AutogradMeta, Counter, Save, Storage, Tensor

_NOWHERE = Site("", Span(1, 1, 1, 1))


class Story:
    """Events made of records, one object for each, so that rules see what belongs together."""

    def __init__(self) -> None:
        self._writes: dict[Change, Write] = {}
        self._storages: dict[int, Storage] = {}

    def write(self, change: Change) -> Write:
        """The event of a write."""
        if change not in self._writes:
            storage, counter = self._storage(change.address), Counter(change.before)
            write = self._writes[change] = Write(
                time=change.time,
                site=change.place.site or _NOWHERE,
                stack=change.place.stack,
                op=change.op,
                operand=_operand(Tensor(storage, counter, AutogradMeta(YES)), change.place, change.text, change.time),
                storage=storage,
                counted=True,
                grad_mode=change.grad_mode,
            )
            storage.writes.append((write, counter, change.after))
        return self._writes[change]

    def save(self, keep: Keep) -> Save:
        """The event of a save."""
        return Save(
            op=keep.op or keep.node,
            node=keep.node,
            site=keep.place.site or _NOWHERE,
            stack=keep.place.stack,
            operand="",
            storage=self._storage(keep.address),
            counter=Counter(keep.version),
            version=keep.version,
            is_result=keep.is_result,
            need=YES,
            time=keep.time,
            leaf=keep.leaf,
        )

    def stale(self, keep: Keep, change: Change) -> StaleSave:
        """A saved tensor and the write that overwrote it."""
        return StaleSave(self.save(keep), self.write(change), "certain", ())

    def backward(
        self, place: Place, time: int, stale: Iterable[tuple[Keep, Change]], hidden: Iterable[tuple[Keep, Change]] = ()
    ) -> Backward:
        """A backward pass, with what it finds overwritten."""
        return Backward(
            time=time,
            site=place.site or _NOWHERE,
            stack=place.stack,
            via="backward",
            stale=[self.stale(*pair) for pair in stale],
            hidden=[self.stale(*pair) for pair in hidden],
        )

    def _storage(self, address: int) -> Storage:
        return self._storages.setdefault(address, Storage(address, None))


def refused(kind: Refused, op: str, place: Place, text: str, time: int) -> list[Write | RefusedUse]:
    """What PyTorch refused at once: a write, or a use of what cannot be used any more."""
    refusal = Refusal(kind, "certain")
    site = place.site or _NOWHERE
    if kind in ("stale-view", "detached-view", "inference-saved"):
        return [RefusedUse(time, site, place.stack, refusal)]
    storage = Storage(0, None)
    operand = _operand(Tensor(storage, Counter(), AutogradMeta(YES)), place, text, time)
    return [Write(time, site, place.stack, op, operand, storage, True, refusal=refusal)]


def judge(events: Sequence[Backward | Write | RefusedUse]) -> list[Diagnostic]:
    """What the rules say of real events, each finding once."""
    trace = Trace("a run", list(events))
    found: dict[tuple[str, Site], Diagnostic] = {}
    for code, entry in registry().items():
        for finding in entry.rule.check(trace):
            diagnostic = diagnostic_of(entry.rule, _somewhere(finding))
            old = found.get((code, diagnostic.site))
            if old is not None:
                diagnostic = with_places(old, [diagnostic])
            if diagnostic.site != _NOWHERE:
                found[code, diagnostic.site] = diagnostic
    return list(found.values())


def _somewhere(finding: Finding) -> Finding:
    """A finding without places that are unknown."""
    return replace(finding, related=tuple(dict.fromkeys(each for each in finding.related if each.site != _NOWHERE)))


def _operand(tensor: Tensor, place: Place, text: str, time: int) -> Operand:
    return Operand(tensor, place.site or _NOWHERE, None, time, text)
