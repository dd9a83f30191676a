"""`concise`: one line for each finding."""

from __future__ import annotations

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.report import Report
from inplace_lint.report.escaping import escaped
from inplace_lint.report.summary import SEVERITY_STYLE, fix_mark, summary


def render(report: Report) -> str:
    """`path:row:column: error[IPL202] message`, and a closing count."""
    return "\n".join([*(line(diagnostic, report) for diagnostic in report.diagnostics), summary(report)])


def line(diagnostic: Diagnostic, report: Report) -> str:
    """One finding."""
    painted = report.paint(f"{diagnostic.severity}[{diagnostic.code}]", SEVERITY_STYLE[diagnostic.severity])
    code = report.linked(painted, diagnostic.code)
    where = report.paint(escaped(report.place(diagnostic.site.path, diagnostic.site.span, diagnostic.cell)), "bold")
    return f"{where}: {code}{fix_mark(diagnostic, report)} {escaped(' '.join(diagnostic.message.split()))}"
