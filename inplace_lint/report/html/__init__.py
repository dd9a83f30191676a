"""`html`: one page without network, for people who would rather look."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import TypeVar

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.report import Report
from inplace_lint.report.html.finding import finding
from inplace_lint.report.html.markup import element, text
from inplace_lint.report.html.rules import rules
from inplace_lint.report.html.shell import page
from inplace_lint.report.summary import SEVERITY_STYLE, counted

_Key = TypeVar("_Key", bound=Hashable)

# Of more findings than these, only the headings are unfolded at first.
_MOST_OPEN = 20


def render(report: Report) -> str:
    """The whole page."""
    found = report.diagnostics
    title = f"inplace-lint: {report.subject or os.path.basename(os.getcwd())}"
    notes = "".join(element("p", text(note), "note") for note in report.notes)
    if not found:
        return page(title, _verdict(found) + notes + element("p", "No problems found.", "none"))
    about = rules(each.code for each in found)
    return page(title, "".join([_verdict(found), notes, _overview(report), _filters(), *_sections(report), about]))


def _verdict(found: Sequence[Diagnostic]) -> str:
    files = len({each.site.path for each in found})
    words = f"{counted(len(found), 'problem')} in {counted(files, 'file')}" if found else "Nothing to worry about"
    return element("p", words, "lead")


def _overview(report: Report) -> str:
    """Counts by severity, rule and file; each is a filter."""
    found = report.diagnostics
    severities = Counter(each.severity for each in found)
    codes = Counter((each.code, each.name) for each in found)
    files = Counter(report.file(each.site.path) for each in found)
    chips = "".join(
        _chip("severity", severity, f"<b>{severities[severity]}</b> {severity}", severity)
        for severity in SEVERITY_STYLE
        if severities[severity]
    )
    by_rule = "".join(
        _chip("rule", code, f"<b>{count}</b> {text(code)} <small>{text(name)}</small>")
        for (code, name), count in _most(codes)
    )
    by_file = "".join(_chip("file", path, f"<b>{count}</b> {text(path)}") for path, count in _most(files))
    groups = (("Severity", chips), ("Rule", by_rule), ("File", by_file))
    return (
        '<section class="overview" aria-label="Overview">'
        + "".join(
            f'<div class="group"><h2>{name}</h2><div class="chips">{content}</div></div>' for name, content in groups
        )
        + "</section>"
    )


def _most(counts: Counter[_Key]) -> list[tuple[_Key, int]]:
    """The most frequent first."""
    return sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))


def _chip(kind: str, value: str, content: str, style: str = "") -> str:
    shown = text(value)
    return (
        f'<button type="button" class="chip {style}" data-kind="{kind}" data-value="{shown}" aria-pressed="false">'
        f"{content}</button>"
    )


def _filters() -> str:
    return (
        '<div class="tools" role="search"><label for="q">Search</label><input id="q" type="search" '
        'placeholder="message, name, code" autocomplete="off" spellcheck="false">'
        '<output id="shown" aria-live="polite"></output><button type="button" id="clear" hidden>Show all</button></div>'
    )


def _sections(report: Report) -> Iterator[str]:
    is_open = len(report.diagnostics) <= _MOST_OPEN
    numbered: Iterable[tuple[int, Diagnostic]] = enumerate(report.diagnostics, 1)
    for path, some in groupby(numbered, key=lambda each: each[1].site.path):
        articles = [finding(number, diagnostic, report, is_open) for number, diagnostic in some]
        name = f"<h2>{text(report.file(path))} <small>{len(articles)}</small></h2>"
        yield f'<section class="file">{name}{"".join(articles)}</section>'
