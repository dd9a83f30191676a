"""`full`: for people. A code frame, the story beneath, and a line of help."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from inplace_lint.diagnostic import Diagnostic, Related, Span
from inplace_lint.report import Report
from inplace_lint.report.frame import Mark, frame, gutter, visible
from inplace_lint.report.summary import SEVERITY_STYLE, summary

# Where findings stand that are about a file as a whole; its first line says nothing about them.
_WHOLE_FILE = Span(1, 1, 1, 1)


def render(report: Report) -> str:
    """The findings with source and story, and a closing count."""
    blocks = [_diagnostic(diagnostic, report) for diagnostic in report.diagnostics]
    return "\n\n".join([*blocks, summary(report)]).rstrip("\n")


def _diagnostic(diagnostic: Diagnostic, report: Report) -> str:
    style = SEVERITY_STYLE[diagnostic.severity]
    path, span = diagnostic.site.path, diagnostic.site.span
    here = [related for related in diagnostic.related if related.site.path == path]
    elsewhere = [related for related in diagnostic.related if related.site.path != path]
    marks = [Mark(span, style=style), *_marks(here)]
    title = report.paint(f"{diagnostic.severity}[{diagnostic.code}]", style)
    out = [f"{title}{report.paint(': ' + visible_lines(diagnostic.message), 'bold')}"]
    out += _frame("-->", path, marks, report)
    for other, some in groupby(elsewhere, key=lambda related: related.site.path):
        out += _frame(":::", other, _marks(list(some)), report)
    if diagnostic.help:
        out.append(f"{'':{gutter(marks)}} {report.paint('= help:', 'cyan')} {visible_lines(diagnostic.help)}")
    return "\n".join(out)


def _marks(related: Sequence[Related]) -> list[Mark]:
    return [Mark(each.site.span, visible_lines(each.message)) for each in related]


def _frame(arrow: str, path: str, marks: Sequence[Mark], report: Report) -> list[str]:
    width, first = gutter(marks), marks[0].span
    where = f"{visible(path)}:{first.row}:{first.column}"
    lines = () if first == _WHOLE_FILE else report.lines(path) or ()
    framed = frame(lines, marks, report.paint)
    if not framed:  # no source to show, so tell the story in words
        notes = [f"{mark.label}: {visible(path)}:{mark.span.row}:{mark.span.column}" for mark in marks if mark.label]
        framed = [f"{'':{width}} {report.paint('= note:', 'cyan')} {note}" for note in notes]
    return [f"{'':{width}}{report.paint(arrow, 'blue')} {where}", *framed]


def visible_lines(text: str) -> str:
    """A message, made safe for a terminal; further lines are indented."""
    return "\n      ".join(visible(line) for line in text.splitlines())
