"""`markdown`: a heading with the count and a table, for the summary of a CI job or a comment on a pull request."""

from __future__ import annotations

import re
from collections import Counter

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.report import Report
from inplace_lint.report.escaping import visible
from inplace_lint.report.summary import SEVERITY_STYLE, counted

# A summary of GitHub holds a mebibyte; nobody reads so much.
_MOST_ROWS = 200
_SPECIAL = re.compile(r"[\\`*_{}\[\]<>()#+!|&~:@$-]")


def render(report: Report) -> str:
    """A heading, and a row for each finding: place, severity, rule, message."""
    if not report.diagnostics:
        return "### inplace-lint: no problems found"
    by_severity = Counter(each.severity for each in report.diagnostics)
    kinds = ", ".join(counted(by_severity[kind], kind) for kind in SEVERITY_STYLE if by_severity[kind])
    rows = [_row(each, report) for each in report.diagnostics[:_MOST_ROWS]]
    left = len(report.diagnostics) - len(rows)
    heading = f"### inplace-lint: {counted(len(report.diagnostics), 'problem')} ({kinds})"
    table = ["| where | severity | rule | finding |", "|---|---|---|---|", *rows]
    return "\n".join([heading, "", *table, *(["", f"And {left} more."] if left else [])])


def _row(diagnostic: Diagnostic, report: Report) -> str:
    where = _text(report.place(diagnostic.site.path, diagnostic.site.span, diagnostic.cell))
    url = report.url(diagnostic.code)
    rule = f"[{diagnostic.code}]({url})" if url else diagnostic.code
    return f"| {where} | {diagnostic.severity} | {rule} | {_message(diagnostic.message)} |"


def _message(message: str) -> str:
    """A message, whose names in backticks stay code."""
    parts = " ".join(message.split()).split("`")
    if len(parts) % 2 == 0:  # a name holds a backtick itself
        return _text("`".join(parts))
    return "".join(_code(part) if index % 2 else _text(part) for index, part in enumerate(parts))


def _code(text: str) -> str:
    # Code of HTML, for a table cuts code of Markdown at each `|`.
    return f"<code>{_text(text)}</code>" if text else ""


def _text(text: str) -> str:
    """A text of which nothing is taken for Markdown, HTML, a mention or a link."""
    return _SPECIAL.sub(lambda found: f"&#{ord(found[0])};", visible(text))
