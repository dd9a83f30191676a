"""The closing line of the formats for people, and the table of `--statistics`."""

from __future__ import annotations

from collections import Counter

from inplace_lint.diagnostic import Severity
from inplace_lint.report import Report

SEVERITY_STYLE: dict[Severity, str] = {"error": "red", "warning": "yellow", "info": "cyan"}


def summary(report: Report) -> str:
    """`Found 3 problems (2 errors, 1 warning) in 2 files.`"""
    if not report.summary:
        return ""
    if not report.diagnostics:
        return report.paint("No problems found.", "green")
    by_severity = Counter(diagnostic.severity for diagnostic in report.diagnostics)
    kinds = [_counted(by_severity[severity], severity) for severity in SEVERITY_STYLE if by_severity[severity]]
    files = len({diagnostic.site.path for diagnostic in report.diagnostics})
    problems = _counted(len(report.diagnostics), "problem")
    return f"Found {problems} ({', '.join(kinds)}) in {_counted(files, 'file')}."


def statistics(report: Report) -> list[tuple[int, str, str]]:
    """Count, code and name of each rule that found something, most frequent first."""
    counts = Counter((diagnostic.code, diagnostic.name) for diagnostic in report.diagnostics)
    return [(count, *rule) for rule, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 or noun == "info" else f"{number} {noun}s"
