"""`gitlab`: a Code Quality report."""

from __future__ import annotations

import json
from typing import Any

from inplace_lint.findings.diagnostic import Diagnostic, Severity
from inplace_lint.report import Report
from inplace_lint.report.fingerprint import fingerprints
from inplace_lint.report.places import in_cell, portable, stretch

_SEVERITY: dict[Severity, str] = {"error": "major", "warning": "minor", "info": "info"}


def render(report: Report) -> str:
    """One JSON list."""
    prints = fingerprints(report.diagnostics)
    return json.dumps([_issue(*pair) for pair in zip(report.diagnostics, prints, strict=True)], indent=2)


def _issue(diagnostic: Diagnostic, fingerprint: str) -> dict[str, Any]:
    span = stretch(diagnostic)
    return {
        "type": "issue",
        "check_name": diagnostic.code,
        "description": f"{in_cell(diagnostic)}{diagnostic.code}: {diagnostic.message}",
        "categories": ["Bug Risk"],
        "severity": _SEVERITY[diagnostic.severity],
        "fingerprint": fingerprint,
        "location": {
            "path": portable(diagnostic.site.path),
            "positions": {
                "begin": {"line": span.row, "column": span.column},
                "end": {"line": span.end_row, "column": span.end_column},
            },
        },
    }
