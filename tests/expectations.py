"""Expected findings, written as comments beside the code that they are about.

`# error: [IPL202]` or `# warning: [IPL301, IPL303]` at the end of a line speaks of that line, alone
on a line of the next one.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable
from functools import cache

from inplace_lint.findings.diagnostic import Diagnostic

Expected = tuple[int, str, str]
"""Row, severity and code of a finding."""

_MARK = re.compile(r"#\s*(error|warning|info):\s*\[([^\]]*)\]")


@cache
def expected(text: str) -> frozenset[Expected]:
    """The findings that the comments of a program announce."""
    found: set[Expected] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT:
            continue
        alone = not token.line[: token.start[1]].strip()
        for severity, codes in _MARK.findall(token.string):
            row = token.start[0] + alone
            found |= {(row, severity, code.strip()) for code in codes.split(",")}
    return frozenset(found)


def reported(diagnostics: Iterable[Diagnostic]) -> set[Expected]:
    """The same view of what the linter found."""
    return {(found.site.span.row, found.severity, found.code) for found in diagnostics}


def announced(text: str, kind: str) -> dict[int, str]:
    """What the comments `# kind: ...` say, by the row that they speak of."""
    found: dict[int, str] = {}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        said = token.type == tokenize.COMMENT and re.match(rf"#\s*{kind}:\s*(.*)", token.string)
        if said:
            alone = not token.line[: token.start[1]].strip()
            found[token.start[0] + alone] = said[1].partition("  #")[0].strip()
    return found
