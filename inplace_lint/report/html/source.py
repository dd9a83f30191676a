"""The story of a finding in its source: rows tinted by what happens there, steps numbered, arrows from step to step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from inplace_lint.findings.diagnostic import Diagnostic, Role
from inplace_lint.report import Report
from inplace_lint.report.frame import rows_of, stretch, window
from inplace_lint.report.html.markup import Stretch, element, painted, text, with_code
from inplace_lint.report.story import Step
from inplace_lint.source.place import Span

# Where findings stand that are about a file as a whole.
_WHOLE_FILE = Span(1, 1, 1, 1)
_AROUND = 1
_MOST_LANES = 6
_OWN: dict[Role | None, str] = {
    "bind": "made here",
    "save": "saved here",
    "call": "called here",
    "write": "written here",
    "read": "used here",
    "backward": "this backward pass",
    "raise": "raised here",
    None: "here",
}


# Where the story goes on in another file or cell, by the step before: links, as arrows stay within a text.
_Links = dict[int, str]


@dataclass(slots=True)
class _Line:
    """A row of the source, None for rows left out, with the steps that begin there and the arrows that pass."""

    row: int | None
    steps: list[Step] = field(default_factory=list)
    arrows: list[str] = field(default_factory=list)


def frames(number: int, diagnostic: Diagnostic, steps: Sequence[Step], report: Report) -> str:
    """The parts of files and cells in which the steps are, in the order in which the program comes to them."""
    texts = dict.fromkeys((step.site.path, step.cell) for step in steps)
    links = {
        one.order: _link(number, other, report)
        for one, other in pairwise(sorted(steps, key=lambda step: step.order))
        if (one.site.path, one.cell) != (other.site.path, other.cell)
    }
    out = [
        _frame(
            number, path, cell, [step for step in steps if (step.site.path, step.cell) == (path, cell)], report, links
        )
        for path, cell in texts
        if (path, cell) != (diagnostic.site.path, diagnostic.cell) or diagnostic.site.span != _WHOLE_FILE
    ]
    return f'<div class="frames">{"".join(out)}</div>'


def says(step: Step) -> str:
    """What a step says at its place: the heading has what the finding's own says."""
    return _OWN[step.role] if step.own else step.message


def _frame(number: int, path: str, cell: int | None, steps: Sequence[Step], report: Report, links: _Links) -> str:
    source = report.source(path, cell)
    name = text(f"{report.file(path)}{f', cell {cell}' if cell else ''}")
    shown = [step for step in steps if step.site.span.row <= len(source)]
    notes = "".join(_unseen(number, step, report) for step in steps if step not in shown)
    if not shown:
        return f'<ol class="unseen">{notes}</ol>'
    lines = list(_lines(shown, len(source)))
    for lane, (one, other) in enumerate(pairwise(shown), 1):
        if other.order == one.order + 1:
            _connect(lines, one, other, min(lane, _MOST_LANES))
    body = "".join(_line(number, line, shown, source, links) for line in lines)
    return (
        f'<figure><figcaption>{name}</figcaption><div class="code" tabindex="0" role="group" '
        f'aria-label="Source of {name}">{body}</div></figure>{f"<ol class=unseen>{notes}</ol>" if notes else ""}'
    )


def _unseen(number: int, step: Step, report: Report) -> str:
    where = text(report.place(step.site.path, step.site.span, step.cell))
    return f'<li class="{step.role}" id="f{number}s{step.order}">{_badge(step)} {with_code(says(step))}: {where}</li>'


def _lines(steps: Sequence[Step], count: int) -> Iterator[_Line]:
    touched = {row for step in steps for row in rows_of(step.site.span)}
    rows = sorted({near for row in touched for near in range(row - _AROUND, row + _AROUND + 1) if 0 < near <= count})
    last = rows[0] - 1
    for row in rows:
        if row == last + 2:
            yield _Line(row - 1)
        elif row > last + 1:
            yield _Line(None)
        yield _Line(row, [step for step in steps if step.site.span.row == row])
        last = row


def _connect(lines: Sequence[_Line], one: Step, other: Step, lane: int) -> None:
    """Draw an arrow between the rows of two steps, in a lane left of the code: out, past, in."""
    index = {line.row: at for at, line in enumerate(lines)}
    start, end = index[one.site.span.row], index[other.site.span.row]
    if start == end:
        return
    out, into = ("d", "e") if start < end else ("u", "v")
    lines[start].arrows.append(f"{out} a{lane}")
    lines[end].arrows.append(f"{into} a{lane}")
    for line in lines[min(start, end) + 1 : max(start, end)]:
        line.arrows.append(f"p a{lane}")


def _line(number: int, line: _Line, steps: Sequence[Step], source: Sequence[str], links: _Links) -> str:
    arrows = "".join(f'<i class="{each}"></i>' for each in line.arrows)
    # What leaves or comes to a row does so above its notes; these are passed by what goes on below.
    below = "".join(f'<i class="p {each[2:]}"></i>' for each in line.arrows if each[0] in "dpv")
    gutter, beside = f'<span class="g">{arrows}</span>', f'<span class="g">{below}</span>'
    if line.row is None:
        return f'<div class="r gap">{gutter}<b></b><code>\u22ef</code></div>'
    content = source[line.row - 1]
    here = [step for step in steps if line.row in rows_of(step.site.span)]
    spans = [Stretch(*stretch(step.site.span, line.row, content), step.role or "own") for step in here]
    first, last = window(content, min((span.start for span in spans), default=0))
    code = "\u2026" * (first > 0) + painted(content, spans, first, last) + "\u2026" * (last < len(content))
    tint = next((step.role for step in here if step.own), here[0].role if here else None)
    notes = "".join(
        f'<div class="r note {step.role}" id="f{number}s{step.order}">{beside}<b></b>'
        f"<p>{_badge(step)} {with_code(says(step))}{links.get(step.order, '')}</p></div>"
        for step in line.steps
    )
    style = f"r {tint}" if tint else "r own" if here else "r"
    return f'<div class="{style}">{gutter}<b>{line.row}</b><code>{code}</code></div>{notes}'


def _link(number: int, step: Step, report: Report) -> str:
    where = text(report.place(step.site.path, step.site.span, step.cell))
    return f' <a href="#f{number}s{step.order}">\u2192 {where}</a>'


def _badge(step: Step) -> str:
    return element("span", str(step.order), "step")
