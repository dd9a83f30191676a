"""The memory of a model as a page: the curve, what is alive at the peak, and what each in-place op saves."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from inplace_lint.report.html.markup import element, text
from inplace_lint.report.html.shell import page
from inplace_lint.report.places import brief
from inplace_lint.runtime.memory.plot import plot
from inplace_lint.runtime.memory.units import spelled
from inplace_lint.runtime.memory.weigh import Run, Saving, Weighed
from inplace_lint.source.place import Site

_MOST_ROWS = 40


def memory_page(weighed: Weighed, target: str) -> str:
    """The page about a target."""
    runs = {"in place": weighed.original, "out of place": weighed.out_of_place}
    body = [
        element(
            "p", "Live memory over a forward and a backward pass, as it is and with all writes out of place", "lead"
        ),
        element("div", plot(weighed, f"live memory of {target}"), "chart"),
        element("h2", "Peaks"),
        _table(
            ("run", "peak", "after forward"), ((name, spelled(r.peak), spelled(r.kept)) for name, r in runs.items())
        ),
        element("h2", f"Alive at the peak <small>in place, {spelled(weighed.original.peak)}</small>"),
        _alive(weighed.original),
        element("h2", "In-place operations"),
        _savings(weighed.savings),
    ]
    return page(f"inplace-lint: memory {target}", "".join(body))


def _alive(run: Run) -> str:
    rows = [
        (_place(each.site, each.op, each.count), spelled(each.size), f"{100 * each.size / run.peak:.0f} %")
        for each in run.alive[:_MOST_ROWS]
    ]
    rest = run.alive[_MOST_ROWS:]
    if rest:
        size = sum(each.size for each in rest)
        rows.append((f"{len(rest)} more places", spelled(size), f"{100 * size / run.peak:.0f} %"))
    return _table(("made by", "bytes", "share"), rows)


def _savings(savings: Sequence[Saving]) -> str:
    if not savings:
        return element("p", "There are none.")
    rows = (
        (
            _place(each.site, each.op, each.times),
            spelled(each.size),
            spelled(each.at_peak) if each.at_peak else "nothing",
            spelled(each.after_forward) if each.after_forward else "nothing",
        )
        for each in savings
    )
    return _table(("in-place op", "writes", "saves at the peak", "saves after forward"), rows)


def _place(site: Site | None, op: str, count: int) -> str:
    where = f"{brief(os.path.abspath(site.path))}:{site.span.row} " if site else ""
    times = f" \u00d7 {count}" if count > 1 else ""
    return f"{where}{op}{times}"


def _table(heads: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{text(each)}</th>' for each in heads)
    body = "".join(element("tr", "".join(element("td", text(cell)) for cell in row)) for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
