"""`sarif`: SARIF 2.1.0, for code scanning."""

from __future__ import annotations

import json
from typing import Any

from inplace_lint.findings.diagnostic import Diagnostic, Edit, Fix, Related, Severity
from inplace_lint.findings.registry import registry
from inplace_lint.findings.rule import RegisteredRule
from inplace_lint.report import Report
from inplace_lint.report.fingerprint import fingerprints
from inplace_lint.report.places import in_cell, uri
from inplace_lint.report.story import Step, story
from inplace_lint.source.place import Site, Span
from inplace_lint.version import __version__

_LEVEL: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

_Object = dict[str, Any]


def render(report: Report) -> str:
    """One SARIF log with one run."""
    prints = fingerprints(report.diagnostics)
    driver: _Object = {
        "name": "inplace-lint",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [_rule(entry, report.url(entry.rule.code)) for entry in registry().values()],
    }
    if report.docs_url:
        driver["informationUri"] = report.docs_url
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": all(each.code != "IPL903" for each in report.diagnostics)}],
        "columnKind": "unicodeCodePoints",
        "results": [_result(*pair) for pair in zip(report.diagnostics, prints, strict=True)],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(entry: RegisteredRule, url: str | None) -> _Object:
    documentation = entry.documentation
    return {
        "id": entry.rule.code,
        "name": "".join(word.capitalize() for word in entry.rule.name.split("-")),
        "shortDescription": {"text": f"Finds {entry.rule.summary}."},
        "fullDescription": {"text": " ".join(documentation.partition("\n\n")[0].split())},
        "help": {"text": documentation, "markdown": documentation},
        "defaultConfiguration": {"enabled": entry.rule.default},
        **({"helpUri": url} if url else {}),
    }


def _result(diagnostic: Diagnostic, fingerprint: str) -> _Object:
    result: _Object = {
        "ruleId": diagnostic.code,
        "level": _LEVEL[diagnostic.severity],
        "message": {"text": "\n".join(filter(None, (in_cell(diagnostic) + diagnostic.message, diagnostic.help)))},
        "locations": [_location(diagnostic.site, diagnostic.cell)],
        "partialFingerprints": {"inplaceLint/v1": fingerprint},
    }
    if diagnostic.code in registry():
        result["ruleIndex"] = list(registry()).index(diagnostic.code)
    if diagnostic.related:
        result["relatedLocations"] = [{"id": number, **_place(each)} for number, each in enumerate(diagnostic.related)]
        steps = [_step(each) for each in story(diagnostic)]
        result["codeFlows"] = [{"threadFlows": [{"locations": steps}]}]
    if diagnostic.fix and diagnostic.fix.applicability != "display" and not diagnostic.cell:
        result["fixes"] = [_fix(diagnostic.fix, diagnostic.site.path)]
    return result


def _fix(fix: Fix, path: str) -> _Object:
    note = " (may change what the program computes)" if fix.applicability == "unsafe" else ""
    change = {"artifactLocation": _file(path), "replacements": [_replacement(edit) for edit in fix.edits]}
    return {"description": {"text": fix.message + note}, "artifactChanges": [change]}


def _replacement(edit: Edit) -> _Object:
    return {"deletedRegion": _region(edit.span), "insertedContent": {"text": edit.content}}


def _step(step: Step) -> _Object:
    # `kinds` come from a vocabulary that readers extend; those of the specification are of control flow.
    kinds = {"kinds": [step.role]} if step.role else {}
    return {"location": _place(step), "executionOrder": step.order, **kinds}


def _place(related: Related | Step) -> _Object:
    return {**_location(related.site, related.cell), "message": {"text": related.message}}


def _location(site: Site, cell: int | None) -> _Object:
    if cell:  # rows of a cell mean nothing in the file that holds it
        named = {"logicalLocations": [{"name": f"cell {cell}", "kind": "module"}]}
        return {"physicalLocation": {"artifactLocation": _file(site.path), "region": {"startLine": 1}}, **named}
    return {"physicalLocation": {"artifactLocation": _file(site.path), "region": _region(site.span)}}


def _file(path: str) -> _Object:
    return {"uri": uri(path)}


def _region(span: Span) -> _Object:
    return {
        "startLine": span.row,
        "startColumn": span.column,
        "endLine": span.end_row,
        "endColumn": span.end_column,
    }
