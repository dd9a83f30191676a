"""The answer about one line, as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inplace_lint.findings.wording import if_assumed, op_name, quoted
from inplace_lint.judgement.memory import APART
from inplace_lint.torch_model.events import Refused
from inplace_lint.why.facts import Answer, LaterRead, Place, Saved, WriteFacts

_MOST = 6

REFUSED: Mapping[Refused, str] = {
    "leaf": "it is a leaf that requires grad",
    "leaf-view": "it is a view of a leaf that requires grad",
    "multi-view": "it is one of several views that one op returned",
    "no-grad-view": "it is a view that was made without gradients",
    "custom-view": "it is a view that a custom function returned",
    "stale-view": "its base was changed since it was made",
    "detached-view": "it is a view that would lose its base",
    "expanded": "several of its elements share one memory location",
    "overlap": "the op reads memory that overlaps with it",
    "out-with-grad": "`out=` cannot be differentiated",
    "inference": "it was made in inference mode",
    "inference-saved": "a tensor made in inference mode cannot be saved",
    "unmapped": "`vmap` maps over the value that is written, and not over it",
    "hooked": "a backward hook of a module watches it",
}


def lines(answer: Answer, source: str) -> Iterator[str]:
    """The answer, line by line; `source` is the line that is asked about."""
    cell = f"cell {answer.cell}:" if answer.cell else ""
    yield f"{answer.path}:{cell}{answer.row}: {source.strip()}"
    for found in answer.findings:
        yield f"  {found.code} {found.message}: {found.status}"
    for write in answer.writes:
        yield from (f"  {line}" for line in _of_write(write, answer))
    for note in answer.notes:
        yield f"  {note}"


def _of_write(write: WriteFacts, answer: Answer) -> Iterator[str]:
    hidden = ", unseen by autograd" if write.hidden else ""
    yield f"{op_name(write.op)} writes {quoted(write.operand)} at {called(write.site, answer)}{hidden}"
    if write.callers:
        places = dict.fromkeys(called(site, answer) for site in write.callers)
        yield f"  called from {', '.join(list(places)[:_MOST])}"
    others = f"; also known as {', '.join(map(quoted, write.seen_by))}" if write.seen_by else ""
    yield f"  memory: {_memory(write, answer)}{others}"
    if write.refused:
        yield f"  PyTorch raises{if_assumed(write.assumptions[:1])}: {REFUSED.get(write.refused, write.refused)}"
    if write.unsure:
        yield "  perhaps it writes other memory"
    yield from (f"  {line}" for line in _of_saves(write.saved, answer))
    told = list(_of_reads(write.reads, answer))
    yield from (f"  {line}" for line in told)
    if not write.saved and not told and not write.refused:
        yield "  nothing in view saved it for backward before, and no older value of it is read afterwards"


def _memory(write: WriteFacts, answer: Answer) -> str:
    outside = ["external"] if write.external else []
    made = dict.fromkeys(called(place, answer) for place in write.made)
    return ", or ".join([*outside, *(f"made at {place}" for place in list(made)[:_MOST])]) or "made before"


def _of_saves(saved: tuple[Saved, ...], answer: Answer) -> Iterator[str]:
    for each in saved[:_MOST]:
        where = f"saved for backward by {op_name(each.op)} at {called(each.site, answer)}"
        unseen = ", and does not notice" if not each.checked else ""
        if not each.read:
            yield f"{where}; no backward pass in view reads it after the write"
        elif each.backward is None:
            yield f"{where}; a backward pass through the result reads it{unseen}"
        else:
            yield f"{where}; the backward pass at {called(each.backward, answer)} reads it{unseen}"


def _of_reads(reads: tuple[LaterRead, ...], answer: Answer) -> Iterator[str]:
    """The reads that the write changes; those of other parts of the memory tell nothing."""
    changed = [read for read in reads if read.reason != APART.name]
    told = dict.fromkeys(_of_read(read, answer) for read in sorted(changed, key=lambda each: not each.reported))
    yield from list(told)[:_MOST]
    if len(told) > _MOST:
        yield f"and {len(told) - _MOST} more"


def _of_read(read: LaterRead, answer: Answer) -> str:
    verdict = "stale" if read.reported else "no finding"
    where = f"{quoted(read.name)} is read by {op_name(read.reader)} at {called(read.site, answer)}"
    return f"{where}: {verdict} [{read.reason}] {read.says}"


def called(place: Place, answer: Answer) -> str:
    """`line 3`; `cell 2, line 3` in another cell of the notebook, and with its path in another file."""
    row = place.span.row
    if place.path != answer.path:
        return f"{place.path}:{row}"
    return f"line {row}" if place.cell == answer.cell else f"cell {place.cell}, line {row}"
