"""`pylint`: one line for each finding, for the many tools that read what pylint prints."""

from __future__ import annotations

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.report import Report
from inplace_lint.report.escaping import escaped
from inplace_lint.report.places import in_cell, portable, stretch


def render(report: Report) -> str:
    """`path:row: [IPL202] message`."""
    return "\n".join(_line(diagnostic) for diagnostic in report.diagnostics)


def _line(diagnostic: Diagnostic) -> str:
    where = f"{portable(diagnostic.site.path)}:{stretch(diagnostic).row}"
    message = in_cell(diagnostic) + " ".join(diagnostic.message.split())
    return f"{escaped(where)}: [{diagnostic.code}] {escaped(message)}"
