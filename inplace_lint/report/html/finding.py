"""One finding: what is wrong, the story in the source, the memory, the fix, and what a run says."""

from __future__ import annotations

import os
from urllib.parse import quote

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.report import Report
from inplace_lint.report.escaping import path_bytes
from inplace_lint.report.html.diff import diff
from inplace_lint.report.html.markup import element, text, with_code
from inplace_lint.report.html.picture import picture
from inplace_lint.report.html.source import frames
from inplace_lint.report.story import story
from inplace_lint.source.place import Site

_FIX = {"safe": "safe fix", "unsafe": "fix to review", "display": "suggestion"}


def finding(number: int, diagnostic: Diagnostic, report: Report, is_open: bool) -> str:
    """The section of a finding, folded or not."""
    steps = story(diagnostic)
    data = {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "file": report.file(diagnostic.site.path),
        "steps": str(len(steps)),
    }
    attributes = "".join(f' data-{name}="{text(value)}"' for name, value in data.items())
    picked = picture(number, diagnostic, steps, report) if len(steps) > 1 else ""
    body = (
        f'<div class="story">{frames(number, diagnostic, steps, report)}{picked}</div>'
        f"{_help(diagnostic)}{diff(diagnostic, report)}"
        f'<p class="more"><a class="about" href="#rule-{text(diagnostic.code)}">About {text(diagnostic.code)} '
        f'{text(diagnostic.name)}</a> <a href="{_editor(diagnostic.site)}">Open in VS Code</a> '
        f'<a href="#f{number}">Link to this</a></p>'
    )
    return (
        f'<details class="finding {diagnostic.severity}" id="f{number}"{" open" * is_open}{attributes}>'
        f"<summary>{_heading(diagnostic, report)}</summary>{body}</details>"
    )


def _heading(diagnostic: Diagnostic, report: Report) -> str:
    message = diagnostic.message.removesuffix(f" [{diagnostic.verdict}]") if diagnostic.verdict else diagnostic.message
    where = text(report.place(diagnostic.site.path, diagnostic.site.span, diagnostic.cell))
    badges = element("span", _FIX[diagnostic.fix.applicability], "badge fix") if diagnostic.fix else ""
    if diagnostic.verdict:
        style = text(diagnostic.verdict.partition(":")[0].replace(" ", "-"))
        badges += element("span", text(diagnostic.verdict), f"badge verdict {style}")
    return (
        f'<h3><span class="severity">{diagnostic.severity}</span> '
        f'<span class="rule-code">{text(diagnostic.code)}</span> {with_code(message)}</h3>'
        f'<p class="where">{where}{badges}</p>'
    )


def _help(diagnostic: Diagnostic) -> str:
    return f'<p class="help"><b>Help</b> {with_code(diagnostic.help)}</p>' if diagnostic.help else ""


def _editor(site: Site) -> str:
    path = quote(path_bytes(os.path.abspath(site.path).replace(os.sep, "/")))
    return text(f"vscode://file/{path.lstrip('/')}:{site.span.row}:{site.span.column}")
