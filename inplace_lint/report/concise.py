"""`concise`: one line for each finding."""

from __future__ import annotations

from inplace_lint.diagnostic import Diagnostic
from inplace_lint.report import Report
from inplace_lint.report.frame import visible
from inplace_lint.report.summary import SEVERITY_STYLE, summary


def render(report: Report) -> str:
    """`path:row:column: error[IPL202] message`, and a closing count."""
    return "\n".join([*(line(diagnostic, report) for diagnostic in report.diagnostics), summary(report)])


def line(diagnostic: Diagnostic, report: Report) -> str:
    """One finding."""
    span = diagnostic.site.span
    code = report.paint(f"{diagnostic.severity}[{diagnostic.code}]", SEVERITY_STYLE[diagnostic.severity])
    path = report.paint(visible(diagnostic.site.path), "bold")
    return f"{path}:{span.row}:{span.column}: {code} {visible(' '.join(diagnostic.message.split()))}"
