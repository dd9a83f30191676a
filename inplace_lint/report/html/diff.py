"""A fix as a diff of the rows that it changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import ndiff
from itertools import groupby

from inplace_lint.findings.diagnostic import Diagnostic, Edit
from inplace_lint.fixes.edit import edited
from inplace_lint.report import Report
from inplace_lint.report.html.markup import element, painted, with_code

_AROUND = 2
_STYLES = {"+": "add", "-": "del", " ": "same"}
_NOTES = {
    "safe": "It computes the same; <code>--fix</code> applies it.",
    "unsafe": "It may change what the program computes; <code>--fix --unsafe-fixes</code> applies it.",
    "display": "It is not applied automatically.",
}


def diff(diagnostic: Diagnostic, report: Report) -> str:
    """The fix of a finding, if it has one and its source can be read."""
    fix = diagnostic.fix
    if fix is None:
        return ""
    rows: list[str] = []
    for cell, some in groupby(sorted(fix.edits, key=_place), key=lambda edit: edit.cell):
        source = report.source(diagnostic.site.path, cell)
        edits = [edit for edit in some if edit.span.end_row <= len(source)]
        rows += [row for cluster in _clusters(edits) for row in _changed(cluster, source)]
    body = f'<div class="code" tabindex="0" role="group" aria-label="Fix">{"".join(rows)}</div>' if rows else ""
    return f'<div class="fix-box"><p><b>Fix</b> {with_code(fix.message)}. {_NOTES[fix.applicability]}</p>{body}</div>'


def _place(edit: Edit) -> tuple[int, int, int]:
    return (edit.cell or 0, edit.span.row, edit.span.column)


def _clusters(edits: Sequence[Edit]) -> Iterator[list[Edit]]:
    """Edits whose rows are shown together."""
    cluster: list[Edit] = []
    for edit in edits:
        if cluster and edit.span.row > cluster[-1].span.end_row + 2 * _AROUND + 1:
            yield cluster
            cluster = []
        cluster.append(edit)
    if cluster:
        yield cluster


def _changed(edits: Sequence[Edit], source: Sequence[str]) -> Iterator[str]:
    first = max(1, edits[0].span.row - _AROUND)
    last = min(len(source), max(edit.span.end_row for edit in edits) + _AROUND)
    before = source[first - 1 : last]
    shift = first - 1
    moved = [
        replace(edit, span=replace(edit.span, row=edit.span.row - shift, end_row=edit.span.end_row - shift))
        for edit in edits
    ]
    after = edited("\n".join(before), moved).split("\n")
    row = first
    for line in ndiff(before, after, charjunk=None):
        mark, content = line[0], line[2:]
        if mark == "?":
            continue
        shown = str(row) if mark != "+" else ""
        row += mark != "+"
        yield f'<div class="r {_STYLES[mark]}"><b>{shown}</b><u>{mark.strip()}</u><code>{_cut(content)}</code></div>'


def _cut(line: str) -> str:
    return painted(line) if len(line) < 400 else painted(line, (), 0, 400) + element("i", "\u2026", "c")
