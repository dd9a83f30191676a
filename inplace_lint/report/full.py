"""`full`: for people. A code frame, the story beneath, and a line of help."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from inplace_lint.findings.diagnostic import Diagnostic, Related
from inplace_lint.report import Report
from inplace_lint.report.escaping import escaped
from inplace_lint.report.folding import folded
from inplace_lint.report.frame import Mark, frame
from inplace_lint.report.summary import SEVERITY_STYLE, fix_mark, next_step, summary
from inplace_lint.source.place import Span

# Where findings stand that are about a file as a whole; its first line says nothing about them.
_WHOLE_FILE = Span(1, 1, 1, 1)

# What a frame shows: a file, or a cell of a notebook.
_Text = tuple[str, "int | None"]


def render(report: Report) -> str:
    """The findings with source and story, and a closing count."""
    blocks = [_diagnostic(diagnostic, report) for diagnostic in report.diagnostics]
    closing = [text for text in (summary(report), next_step(report)) if text]
    ending = "\n".join(folded(line, report.width, hanging=0) for text in closing for line in text.split("\n"))
    return "\n\n".join([*blocks, ending]).rstrip("\n")


def _diagnostic(diagnostic: Diagnostic, report: Report) -> str:
    style = SEVERITY_STYLE[diagnostic.severity]
    text = (diagnostic.site.path, diagnostic.cell)
    here = [related for related in diagnostic.related if _text(related) == text]
    elsewhere = [related for related in diagnostic.related if _text(related) != text]
    marks = [Mark(diagnostic.site.span, style=style), *_marks(here)]
    head = f"{diagnostic.severity}[{diagnostic.code}]"
    mark = fix_mark(diagnostic, report)
    taken = len(head) + len(" [*]") * bool(mark)
    message = folded(": " + visible_lines(diagnostic.message), report.width, taken)
    out = [f"{report.linked(report.paint(head, style), diagnostic.code)}{mark}{report.paint(message, 'bold')}"]
    # Frames of several files stand under each other, so their row numbers are equally wide.
    sites = (diagnostic.site, *(related.site for related in diagnostic.related))
    width = max(len(str(site.span.end_row)) for site in sites)
    out += _frame("-->", text, marks, width, report)
    for other, some in groupby(elsewhere, key=_text):
        out += _frame(":::", other, _marks(list(some)), width, report)
    if diagnostic.help:
        beside = width + len(" = help: ")
        text_of_help = folded(visible_lines(diagnostic.help), report.width, beside, beside)
        out.append(f"{'':{width}} {report.paint('= help:', 'cyan')} {text_of_help}")
    return "\n".join(out)


def _text(related: Related) -> _Text:
    return (related.site.path, related.cell)


def _marks(related: Sequence[Related]) -> list[Mark]:
    return [Mark(each.site.span, visible_lines(each.message)) for each in related]


def _frame(arrow: str, text: _Text, marks: Sequence[Mark], width: int, report: Report) -> list[str]:
    path, cell = text
    first = marks[0].span
    lines = () if first == _WHOLE_FILE else report.source(path, cell)
    framed = frame(lines, marks, report.paint, width, report.width)
    if not framed:  # no source to show, so tell the story in words
        notes = [f"{mark.label}: {escaped(report.place(path, mark.span, cell))}" for mark in marks if mark.label]
        framed = [f"{'':{width}} {report.paint('= note:', 'cyan')} {note}" for note in notes]
    return [f"{'':{width}}{report.paint(arrow, 'blue')} {escaped(report.place(path, first, cell))}", *framed]


def visible_lines(text: str) -> str:
    """A message, made safe for a terminal; further lines are indented."""
    return "\n      ".join(escaped(line) for line in text.split("\n"))
