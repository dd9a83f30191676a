"""`gitlab`: a Code Quality report."""

from __future__ import annotations

import json

from inplace_lint.diagnostic import Severity
from inplace_lint.report import Report
from inplace_lint.report.fingerprint import fingerprints, portable

_SEVERITY: dict[Severity, str] = {"error": "major", "warning": "minor", "info": "info"}


def render(report: Report) -> str:
    """One JSON list."""
    issues = [
        {
            "description": f"{diagnostic.code}: {diagnostic.message}",
            "check_name": diagnostic.code,
            "fingerprint": fingerprint,
            "severity": _SEVERITY[diagnostic.severity],
            "location": {
                "path": portable(diagnostic.site.path),
                "positions": {
                    "begin": {"line": diagnostic.site.span.row, "column": diagnostic.site.span.column},
                    "end": {"line": diagnostic.site.span.end_row, "column": diagnostic.site.span.end_column},
                },
            },
        }
        for diagnostic, fingerprint in zip(report.diagnostics, fingerprints(report.diagnostics), strict=True)
    ]
    return json.dumps(issues, indent=2)
