"""`sarif`: SARIF 2.1.0, for code scanning."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from inplace_lint import __version__
from inplace_lint.diagnostic import Diagnostic, Related, Severity, Site
from inplace_lint.report import Report
from inplace_lint.report.fingerprint import fingerprints, portable
from inplace_lint.rule import RegisteredRule, registry

_LEVEL: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def render(report: Report) -> str:
    """One SARIF log with one run."""
    prints = fingerprints(report.diagnostics)
    results = [_result(diagnostic, print_) for diagnostic, print_ in zip(report.diagnostics, prints, strict=True)]
    driver = {
        "name": "inplace-lint",
        "version": __version__,
        "rules": [_rule(entry) for entry in registry().values()],
    }
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _rule(entry: RegisteredRule) -> dict[str, Any]:
    return {
        "id": entry.rule.code,
        "name": "".join(word.capitalize() for word in entry.rule.name.split("-")),
        "shortDescription": {"text": f"Finds {entry.rule.summary}."},
        "help": {"text": entry.documentation, "markdown": entry.documentation},
    }


def _result(diagnostic: Diagnostic, fingerprint: str) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "level": _LEVEL[diagnostic.severity],
        "message": {"text": "\n".join(filter(None, (diagnostic.message, diagnostic.help)))},
        "locations": [_location(diagnostic.site)],
        "partialFingerprints": {"inplaceLint/v1": fingerprint},
    }
    if diagnostic.related:
        result["relatedLocations"] = [_related(number, each) for number, each in enumerate(diagnostic.related, 1)]
    return result


def _related(number: int, related: Related) -> dict[str, Any]:
    return {"id": number, "message": {"text": related.message}, **_location(related.site)}


def _location(site: Site) -> dict[str, Any]:
    span = site.span
    region = {
        "startLine": span.row,
        "startColumn": span.column,
        "endLine": span.end_row,
        "endColumn": span.end_column,
    }
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": quote(portable(site.path), errors="surrogateescape")},
            "region": region,
        }
    }
