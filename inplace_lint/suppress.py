"""Comments that suppress findings: `# noqa: IPL202`, `# inplace-lint: ignore[IPL202] reason`."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Sequence
from dataclasses import dataclass

from inplace_lint.diagnostic import Diagnostic, Span

_CODE = r"[A-Za-z]+[0-9]+"
_NOQA = re.compile(rf"#\s*noqa(?P<colon>\s*:\s*(?P<codes>{_CODE}(?:[\s,]+{_CODE})*)?)?(?![\w-])", re.IGNORECASE)
_OWN = re.compile(r"#\s*inplace-lint:\s*(?P<verb>ignore|skip-file)\b(?:\s*\[(?P<codes>[^\]]*)\])?")

# Of a file with one of these, nothing else can be said.
_UNSUPPRESSIBLE = frozenset({"IPL902", "IPL903"})


@dataclass(frozen=True, slots=True)
class Suppression:
    """One comment.

    Args:
        span: the comment itself.
        codes: what it suppresses; None for everything.
        whole_file: whether it holds for the file rather than for its statement.
        rows: first and last row of the statement that it belongs to.
    """

    span: Span
    codes: tuple[str, ...] | None
    whole_file: bool
    rows: tuple[int, int]

    def covers(self, diagnostic: Diagnostic) -> bool:
        """Whether the comment suppresses a finding.

        It does on any row of the finding, and at the end of a statement of several rows.
        """
        if self.codes is not None and not diagnostic.code.startswith(self.codes):
            return False
        span = diagnostic.site.span
        first, last = self.rows
        at_end = self.span.row == last and first <= span.row <= last
        return self.whole_file or at_end or span.row <= self.span.row <= span.end_row


def suppressions(text: str) -> tuple[Suppression, ...]:
    """The comments of a source text that suppress something."""
    if "noqa" not in text.lower() and "inplace-lint:" not in text:
        return ()
    found: list[Suppression] = []
    pending: list[tokenize.TokenInfo] = []
    first = 0
    for token in _tokens(text):
        if token.type == tokenize.COMMENT:
            pending.append(token)
        elif token.type not in _BETWEEN:
            first = first or token.start[0]
        if token.type in (tokenize.NEWLINE, tokenize.ENDMARKER) or (token.type == tokenize.NL and not first):
            rows = (first or token.start[0], token.start[0])
            found += [each for comment in pending if (each := _read(comment, rows))]
            pending, first = [], 0
    # What is left precedes a place that cannot be read.
    found += [each for comment in pending if (each := _read(comment, (comment.start[0],) * 2))]
    return tuple(found)


def suppress(text: str, diagnostics: Sequence[Diagnostic]) -> tuple[list[Diagnostic], frozenset[Suppression]]:
    """The findings that no comment suppresses, and the comments that suppressed one."""
    comments = suppressions(text) if diagnostics else ()
    kept: list[Diagnostic] = []
    used: set[Suppression] = set()
    for diagnostic in diagnostics:
        covering = [] if diagnostic.code in _UNSUPPRESSIBLE else [c for c in comments if c.covers(diagnostic)]
        used.update(covering)
        if not covering:
            kept.append(diagnostic)
    return kept, frozenset(used)


def skips_file(text: str) -> bool:
    """Whether a comment asks to leave out the whole file."""
    return "skip-file" in text and any(each.whole_file and each.codes is None for each in suppressions(text))


_BETWEEN = frozenset(
    {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER}
)


def _tokens(text: str) -> list[tokenize.TokenInfo]:
    tokens = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            tokens.append(token)
    except (tokenize.TokenError, SyntaxError):
        pass  # what was read so far still counts
    return tokens


def _read(comment: tokenize.TokenInfo, rows: tuple[int, int]) -> Suppression | None:
    (row, column), (end_row, end_column) = comment.start, comment.end
    span = Span(row, column + 1, end_row, end_column + 1)
    if own := _OWN.search(comment.string):
        codes = None if own["codes"] is None else tuple(re.findall(_CODE, own["codes"].upper()))
        return Suppression(span, codes, own["verb"] == "skip-file", rows)
    noqa = _NOQA.search(comment.string)
    if noqa is None or (noqa["colon"] and not noqa["codes"]):
        return None  # a colon without a code: too easily a slip to silence everything
    codes = tuple(re.findall(_CODE, noqa["codes"].upper())) if noqa["codes"] else None
    return Suppression(span, codes, False, rows)
