"""`json`: one list of objects with the keys of ruff's, and the story as `related`."""

from __future__ import annotations

import json
import os
from typing import Any

from inplace_lint.findings.diagnostic import Diagnostic, Fix, Related
from inplace_lint.report import Report
from inplace_lint.source.place import Span


def render(report: Report) -> str:
    """One JSON list."""
    return json.dumps([as_object(diagnostic, report) for diagnostic in report.diagnostics], indent=2)


def as_object(diagnostic: Diagnostic, report: Report) -> dict[str, Any]:
    """One finding as a JSON object. Rows and columns count from 1, the end column is exclusive."""
    return {
        "code": diagnostic.code,
        "name": diagnostic.name,
        "message": diagnostic.message,
        "severity": diagnostic.severity,
        "filename": os.path.abspath(diagnostic.site.path),
        **_span(diagnostic.site.span),
        "noqa_row": diagnostic.site.span.end_row,
        "url": report.url(diagnostic.code),
        "cell": diagnostic.cell,
        "role": diagnostic.role,
        "order": diagnostic.order,
        "fix": _fix(diagnostic.fix) if diagnostic.fix else None,
        "related": [_related(related) for related in diagnostic.related],
        **({"verdict": diagnostic.verdict} if diagnostic.verdict else {}),
    }


def _span(span: Span) -> dict[str, dict[str, int]]:
    return {
        "location": {"row": span.row, "column": span.column},
        "end_location": {"row": span.end_row, "column": span.end_column},
    }


def _fix(fix: Fix) -> dict[str, Any]:
    edits = [{"content": edit.content, **_span(edit.span), "cell": edit.cell} for edit in fix.edits]
    return {"applicability": fix.applicability, "message": fix.message, "edits": edits}


def _related(related: Related) -> dict[str, Any]:
    return {
        "message": related.message,
        "role": related.role,
        "order": related.order,
        "filename": os.path.abspath(related.site.path),
        **_span(related.site.span),
        "cell": related.cell,
    }
