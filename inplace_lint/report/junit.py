"""`junit`: a test report in which every finding is a failed test."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.report import Report
from inplace_lint.report.escaping import escaped
from inplace_lint.report.places import place, portable, stretch
from inplace_lint.report.story import told


def render(report: Report) -> str:
    """One XML document with a test suite for each file."""
    total = str(len(report.diagnostics))
    root = Element("testsuites", name="inplace-lint", tests=total, failures=total)
    for path, some in groupby(report.diagnostics, key=lambda diagnostic: diagnostic.site.path):
        _suite(root, _clean([portable(path)]), list(some))
    if not report.diagnostics:  # readers refuse a report without any test
        suite = SubElement(root, "testsuite", name="inplace-lint", tests="1", failures="0", errors="0")
        SubElement(suite, "testcase", name="No problems found", classname="inplace-lint")
        root.set("tests", "1")
    indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(root, "unicode")


def _suite(root: Element, path: str, diagnostics: list[Diagnostic]) -> None:
    count = str(len(diagnostics))
    suite = SubElement(root, "testsuite", name=path, tests=count, failures=count, errors="0")
    for diagnostic in diagnostics:
        where = place(diagnostic.site.path, diagnostic.site.span, diagnostic.cell)
        name = f"{diagnostic.code} {diagnostic.name} at {place('', diagnostic.site.span, diagnostic.cell)[1:]}"
        row = str(stretch(diagnostic).row)
        case = SubElement(suite, "testcase", name=name, classname=path, file=path, line=row)
        failure = SubElement(case, "failure", type=diagnostic.severity, message=_clean([diagnostic.message]))
        failure.text = _clean([f"{where}: {diagnostic.message}", *told(diagnostic)])


def _clean(lines: Iterable[str]) -> str:
    return "\n".join(map(escaped, lines))
