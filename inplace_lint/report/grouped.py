"""`grouped`: one line for each finding, under the name of its file."""

from __future__ import annotations

from itertools import groupby

from inplace_lint.report import Report
from inplace_lint.report.escaping import escaped
from inplace_lint.report.places import place
from inplace_lint.report.summary import SEVERITY_STYLE, fix_mark, summary


def render(report: Report) -> str:
    """The findings by file, and a closing count."""
    blocks = []
    for path, some in groupby(report.diagnostics, key=lambda diagnostic: diagnostic.site.path):
        rows = [
            (
                place("", each.site.span, each.cell).removeprefix(":"),
                report.paint(f"{each.severity}[{each.code}]", SEVERITY_STYLE[each.severity]) + fix_mark(each, report),
                escaped(" ".join(each.message.split())),
            )
            for each in some
        ]
        width = max(len(place) for place, _, _ in rows)
        heading = report.paint(escaped(report.file(path)), "bold") + ":"
        blocks.append("\n".join([heading, *(f"  {place:<{width}}  {code} {message}" for place, code, message in rows)]))
    return "\n\n".join([*blocks, summary(report)]).rstrip("\n")
