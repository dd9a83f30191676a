"""What `memory --advise` prints: text, JSON, and the edits that it proposes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from difflib import unified_diff
from itertools import takewhile
from typing import Any

from inplace_lint.cli.printing import aligned
from inplace_lint.cli.target import shown
from inplace_lint.project.reading import read
from inplace_lint.report.escaping import escaped
from inplace_lint.report.places import brief
from inplace_lint.runtime.memory.advise.advise import Advice
from inplace_lint.runtime.memory.advise.calls import Spelled
from inplace_lint.runtime.memory.advise.edits import SourceEdit, applied, edits
from inplace_lint.runtime.memory.units import spelled
from inplace_lint.source.errors import SourceError
from inplace_lint.source.place import Site

_WORTH = 0.01
_MOST_ROWS = 10
_ONLY_WHAT_IS_SAVED = "The peak is in backward, where only what is saved for it counts."


def as_text(target: str, advice: Advice) -> str:
    """The advice for people."""
    run = advice.run
    where = "in backward" if run.in_backward else "in forward"
    out = [f"{escaped(target)}: peak {spelled(run.peak)}, {where}; after forward {spelled(run.kept)}", ""]
    out += _in_place(advice)
    out += _listed(
        "Held at the peak, and never read again:",
        ("made by", "bytes", "held by"),
        [(_made(each.site, each.op, each.count), each.size, escaped(each.by) or "?") for each in advice.held],
        run.peak,
    )
    out += _listed(
        "Alive twice at the peak, with the same values:",
        ("copied by", "bytes", "made by"),
        [(_made(each.site, each.op, each.count), each.size, _line(each.original)) for each in advice.twice],
        run.peak,
    )
    out += _checkpoints(advice)
    return "\n".join(out)


def _in_place(advice: Advice) -> list[str]:
    places, peak, before = advice.in_place.places, advice.in_place.peak, advice.run.peak
    if not places:
        return ["No more call could be in place."]
    calls = "1 more call" if len(places) == 1 else f"{len(places)} more calls"
    lines = f"{calls} could be in place, with the same results and gradients to the bit"
    if peak >= before:
        why = [_ONLY_WHAT_IS_SAVED] if advice.run.in_backward else []
        return [f"{lines}; the peak stays {spelled(peak)}: do not bother.", *why]
    needed = [place for place in places if place.needed]
    share = f"{100 * (before - peak) / before:.1f} %"
    verdict = "" if before - peak >= _WORTH * before else ": hardly worth the risk"
    rows = [
        (_made(place.call.site, place.call.op, place.times), spelled(place.size), escaped(_edit_of(place.call)))
        for place in needed
    ]
    table = aligned([("in place", "writes", "edit"), *rows])
    rest = len(places) - len(needed)
    others = [f"{rest} more would save nothing."] if rest else []
    return [f"{lines}; the peak falls to {spelled(peak)}, by {share}{verdict}.", "", *table, *others]


def _checkpoints(advice: Advice) -> list[str]:
    before = advice.run.peak
    rows = [
        (
            f"{len(each.layers)} {escaped(each.kind)}",
            spelled(each.peak),
            f"{100 * (before - each.peak) / before:.1f} %",
            "the same" if each.buffers else "change (BatchNorm)",
        )
        for each in advice.checkpoints
        if before - each.peak >= _WORTH * before
    ]
    if not rows:
        return []
    head = "Checkpointed with torch.utils.checkpoint, with the same results and gradients, at the price of time:"
    return ["", head, "", *aligned([("layers", "peak", "saved", "buffers"), *rows])]


def _listed(head: str, heads: tuple[str, str, str], rows: Iterable[tuple[str, int, str]], peak: int) -> list[str]:
    """A table of what counts: at least a hundredth of the peak each, the largest first."""
    some = list(takewhile(lambda row: row[1] >= _WORTH * peak, rows))[:_MOST_ROWS]
    if not some:
        return []
    return ["", head, "", *aligned([heads, *((what, spelled(size), who) for what, size, who in some)])]


def _made(site: Site | None, op: str, count: int) -> str:
    times = f" ({count} times)" if count > 1 else ""
    return f"{_line(site)} {escaped(op)}{times}"


def _line(site: Site | None) -> str:
    return escaped(f"{brief(site.path)}:{site.span.row}") if site else "?"


def as_diff(target: str, advice: Advice) -> str:
    """The edits that lower the peak; empty if none does."""
    out: list[str] = []
    calls = [place.call for place in advice.in_place.places if place.needed]
    for path in dict.fromkeys(call.site.path for call in calls if call.site is not None):
        source, changed = _edits(path, calls)
        before, after = source.split("\n"), applied(source, changed.values()).split("\n")
        out += unified_diff(before, after, shown(path), shown(path), lineterm="")
    return "\n".join(out)


def _edits(path: str, calls: Sequence[Spelled]) -> tuple[str, dict[Spelled, SourceEdit]]:
    """The source of a file of the user's, and what is to be changed in it."""
    here = [call for call in calls if call.site is not None and call.site.path == path and not call.installed]
    try:
        source = read(path)
    except SourceError:
        return "", {}
    return source, edits(source, here)


def _edit_of(call: Spelled) -> str:
    if call.installed:
        return "in a library"
    found = _edits(call.site.path, [call])[1].get(call) if call.site is not None else None
    return found.text if found else "inplace=True where it is made"


def as_json(target: str, advice: Advice) -> str:
    """The advice for programs."""
    run = advice.run
    made = {
        "target": target,
        "peak": run.peak,
        "peak_in_backward": run.in_backward,
        "after_forward": run.kept,
        "in_place": {
            "peak": advice.in_place.peak,
            "calls": [
                {
                    **_json_site(place.call.site),
                    "op": place.call.op,
                    "times": place.times,
                    "size": place.size,
                    "lowers_peak": place.needed,
                }
                for place in advice.in_place.places
            ],
        },
        "held": [
            {**_json_site(each.site), "op": each.op, "held_by": each.by, "count": each.count, "size": each.size}
            for each in advice.held
        ],
        "twice": [
            {**_json_site(each.site), "op": each.op, "count": each.count, "size": each.size} for each in advice.twice
        ],
        "checkpoints": [
            {"class": each.kind, "layers": list(each.layers), "peak": each.peak, "buffers_stay": each.buffers}
            for each in advice.checkpoints
        ],
    }
    return json.dumps(made, indent=2)


def _json_site(site: Site | None) -> dict[str, Any]:
    return {"filename": site.path if site else None, "row": site.span.row if site else None}
