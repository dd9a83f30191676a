"""`json-lines`: the objects of `json`, one on each line."""

from __future__ import annotations

import json

from inplace_lint.report import Report
from inplace_lint.report.json import as_object


def render(report: Report) -> str:
    """One JSON object a line."""
    return "\n".join(json.dumps(as_object(diagnostic, report)) for diagnostic in report.diagnostics)
