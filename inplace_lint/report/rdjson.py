"""`rdjson`: the format of reviewdog, which comments on changes in many places."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from inplace_lint.findings.diagnostic import Diagnostic, Severity
from inplace_lint.report import Report
from inplace_lint.report.places import in_cell, portable
from inplace_lint.report.summary import is_fixable
from inplace_lint.source.place import Site, Span

_SEVERITY: dict[Severity, str] = {"error": "ERROR", "warning": "WARNING", "info": "INFO"}

_Object = dict[str, Any]


def render(report: Report) -> str:
    """One JSON object."""
    found = [_diagnostic(diagnostic, report) for diagnostic in report.diagnostics]
    return json.dumps({"source": {"name": "inplace-lint"}, "severity": "WARNING", "diagnostics": found}, indent=2)


def _diagnostic(diagnostic: Diagnostic, report: Report) -> _Object:
    url = report.url(diagnostic.code)
    said: _Object = {
        "message": "\n".join(filter(None, (in_cell(diagnostic) + diagnostic.message, diagnostic.help))),
        "location": _location(diagnostic.site, diagnostic.cell, report),
        "severity": _SEVERITY[diagnostic.severity],
        "code": {"value": diagnostic.code, **({"url": url} if url else {})},
    }
    if diagnostic.related:
        said["related_locations"] = [
            {"message": each.message, "location": _location(each.site, each.cell, report)}
            for each in diagnostic.related
        ]
    fix = diagnostic.fix
    # Several suggestions are alternatives, so a fix must be one.
    if fix is not None and is_fixable(diagnostic, report) and not diagnostic.cell and len(fix.edits) == 1:
        (edit,) = fix.edits
        said["suggestions"] = [{"range": _range(edit.span, diagnostic.site.path, report), "text": edit.content}]
    return said


def _location(site: Site, cell: int | None, report: Report) -> _Object:
    if cell:  # rows of a cell mean nothing in the file that holds it
        return {"path": portable(site.path), "range": {"start": {"line": 1}}}
    return {"path": portable(site.path), "range": _range(site.span, site.path, report)}


def _range(span: Span, path: str, report: Report) -> _Object:
    lines = report.source(path, None)
    return {
        "start": {"line": span.row, "column": _column(lines, span.row, span.column)},
        "end": {"line": span.end_row, "column": _column(lines, span.end_row, span.end_column)},
    }


def _column(lines: Sequence[str], row: int, column: int) -> int:
    """The column counted in bytes of UTF-8, as reviewdog does; in characters if the source cannot be read."""
    if row > len(lines):
        return column
    return len(lines[row - 1][: column - 1].encode("utf-8", "surrogatepass")) + 1
