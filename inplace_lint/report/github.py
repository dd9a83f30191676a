"""`github`: workflow commands that annotate a pull request."""

from __future__ import annotations

from inplace_lint.findings.diagnostic import Diagnostic, Severity
from inplace_lint.report import Report
from inplace_lint.report.escaping import visible
from inplace_lint.report.places import place, portable, stretch
from inplace_lint.report.story import told

_COMMAND: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "notice"}


def render(report: Report) -> str:
    """One workflow command a line."""
    return "\n".join(_command(diagnostic) for diagnostic in report.diagnostics)


def _command(diagnostic: Diagnostic) -> str:
    span = stretch(diagnostic)
    properties = {
        "title": f"inplace-lint ({diagnostic.code})",
        "file": portable(diagnostic.site.path),
        "line": span.row,
        "col": span.column,
        "endLine": span.end_row,
    }
    if span.row == span.end_row:  # GitHub refuses an end column on another line
        properties["endColumn"] = span.end_column
    where = place(diagnostic.site.path, diagnostic.site.span, diagnostic.cell)
    text = [f"{where}: {diagnostic.code} {diagnostic.message}", *told(diagnostic)]
    listed = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    return f"::{_COMMAND[diagnostic.severity]} {listed}::{'%0A'.join(map(_data, text))}"


def _data(text: str) -> str:
    return visible(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
