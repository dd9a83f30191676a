"""The closing line of the formats for people, and the table of `--statistics`."""

from __future__ import annotations

from collections import Counter

from inplace_lint.findings.diagnostic import Diagnostic, Severity
from inplace_lint.report import Report

SEVERITY_STYLE: dict[Severity, str] = {"error": "red", "warning": "yellow", "info": "cyan"}


def summary(report: Report) -> str:
    """`Found 3 problems (2 errors, 1 warning) in 2 files.`, and how many can be fixed."""
    if not report.summary:
        return ""
    if not report.diagnostics:
        text = f"Found {counted(report.fixed, 'problem')} (all fixed)." if report.fixed else "No problems found."
        return report.paint(text, "green")
    by_severity = Counter(diagnostic.severity for diagnostic in report.diagnostics)
    kinds = [counted(by_severity[severity], severity) for severity in SEVERITY_STYLE if by_severity[severity]]
    files = len({diagnostic.site.path for diagnostic in report.diagnostics})
    problems = counted(len(report.diagnostics) + report.fixed, "problem")
    done = f"{report.fixed} fixed, {len(report.diagnostics)} remaining: " if report.fixed else ""
    return f"Found {problems} ({done}{', '.join(kinds)}) in {counted(files, 'file')}.{_fixable(report)}"


def next_step(report: Report) -> str:
    """How to learn more about the worst finding; empty if there is none, or no more to say."""
    if not report.summary or not report.diagnostics:
        return ""
    worst = min(report.diagnostics, key=lambda each: list(SEVERITY_STYLE).index(each.severity))
    return f"To learn more, run `inplace-lint rule {worst.code}`."


def fix_mark(diagnostic: Diagnostic, report: Report) -> str:
    """What marks a finding that can be fixed, as in ruff."""
    return report.paint(" [*]", "cyan") if is_fixable(diagnostic, report) else ""


def is_fixable(diagnostic: Diagnostic, report: Report) -> bool:
    """Whether the fix of a finding would be applied with the options in force."""
    kind = diagnostic.fix.applicability if diagnostic.fix else "display"
    return kind == "safe" or (kind == "unsafe" and report.unsafe_fixes)


def _fixable(report: Report) -> str:
    count = sum(is_fixable(each, report) for each in report.diagnostics)
    unsafe = sum(each.fix is not None and each.fix.applicability == "unsafe" for each in report.diagnostics)
    hidden = 0 if report.unsafe_fixes else unsafe
    more = f"{counted(hidden, 'hidden fix')} can be enabled with the `--unsafe-fixes` option"
    if count:
        return f"\n[*] {count} fixable with the `--fix` option{f' ({more})' if hidden else ''}."
    return f"\nNo fixes available ({more})." if hidden else ""


def statistics(report: Report) -> list[tuple[int, str, str]]:
    """Count, code and name of each rule that found something, most frequent first."""
    counts = Counter((diagnostic.code, diagnostic.name) for diagnostic in report.diagnostics)
    return [(count, *rule) for rule, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


def counted(number: int, noun: str) -> str:
    """`1 problem`, `2 problems`."""
    plural = "es" if noun.endswith("x") else "" if noun == "info" else "s"
    return f"{number} {noun}{'' if number == 1 else plural}"
