"""`azure`: logging commands that annotate a build of Azure Pipelines."""

from __future__ import annotations

import re

from inplace_lint.findings.diagnostic import Diagnostic, Severity
from inplace_lint.report import Report
from inplace_lint.report.escaping import visible
from inplace_lint.report.places import place, portable, stretch
from inplace_lint.report.story import told

# There is no third type.
_TYPE: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "warning"}


def render(report: Report) -> str:
    """One logging command a line."""
    return "\n".join(_command(diagnostic) for diagnostic in report.diagnostics)


def _command(diagnostic: Diagnostic) -> str:
    span = stretch(diagnostic)
    properties = {
        "type": _TYPE[diagnostic.severity],
        "sourcepath": portable(diagnostic.site.path),
        "linenumber": span.row,
        "columnnumber": span.column,
        "code": diagnostic.code,
    }
    where = place(diagnostic.site.path, diagnostic.site.span, diagnostic.cell)
    text = [f"{where}: {diagnostic.message}", *told(diagnostic)]
    listed = "".join(f"{key}={_property(str(value))};" for key, value in properties.items())
    return f"##vso[task.logissue {listed}]{'%0A'.join(map(_data, text))}"


def _data(text: str) -> str:
    """A text in which nothing but what is escaped here looks escaped."""
    return re.sub("%(?=0D|0A|3B|5D|AZP25)", "%AZP25", visible(text))


def _property(text: str) -> str:
    return _data(text).replace(";", "%3B").replace("]", "%5D")
