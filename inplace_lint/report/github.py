"""`github`: workflow commands that annotate a pull request."""

from __future__ import annotations

from inplace_lint.diagnostic import Diagnostic, Severity
from inplace_lint.report import Report

_COMMAND: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "notice"}


def render(report: Report) -> str:
    """One workflow command a line."""
    return "\n".join(_command(diagnostic) for diagnostic in report.diagnostics)


def _command(diagnostic: Diagnostic) -> str:
    path, span = diagnostic.site.path, diagnostic.site.span
    properties = {
        "title": f"inplace-lint ({diagnostic.code})",
        "file": path,
        "line": span.row,
        "col": span.column,
        "endLine": span.end_row,
    }
    if span.row == span.end_row:  # GitHub refuses an end column on another line
        properties["endColumn"] = span.end_column
    text = [f"{path}:{span.row}:{span.column}: {diagnostic.code} {diagnostic.message}"]
    text += [f"{each.message}: {each.site.path}:{each.site.span.row}" for each in diagnostic.related]
    if diagnostic.help:
        text.append(f"help: {diagnostic.help}")
    listed = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    return f"::{_COMMAND[diagnostic.severity]} {listed}::{_data(chr(10).join(text))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
