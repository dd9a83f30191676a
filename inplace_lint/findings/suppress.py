"""Comments that suppress findings: `# noqa: IPL202`, `# inplace-lint: ignore[IPL202] reason`."""

from __future__ import annotations

import io
import re
import tokenize
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.source.place import Span

CODE = r"(?<![A-Za-z])[A-Za-z]+[0-9]+"
NOQA = re.compile(rf"#\s*noqa(?P<colon>\s*:\s*(?P<codes>{CODE}(?:[\s,]+{CODE})*)?)?(?![\w-])", re.IGNORECASE)
OWN = re.compile(
    r"#\s*inplace-lint:\s*(?P<verb>ignore|skip-file)\b"
    # Without brackets it is a slip, which shall not silence everything.
    rf"(?:\s*\[(?P<codes>[^\]]*)\]|\s*(?:[:=(]\s*)?(?P<bare>IPL\d+(?:[\s,]+{CODE})*))?"
)

# Of a file with one of these, nothing else can be said.
UNSUPPRESSIBLE = frozenset({"IPL902", "IPL903"})


@dataclass(frozen=True, slots=True)
class Suppression:
    """One comment.

    Args:
        span: the comment itself; there may be others in the same token.
        text: how it is written.
        codes: what it suppresses; None for everything.
        whole_file: whether it holds for the file rather than for its statement.
        rows: first and last row of the statement that it belongs to.
        reach: the first of the rows before it that have no place for a comment of their own, as
            they end within a string or with a backslash.
    """

    span: Span
    text: str
    codes: tuple[str, ...] | None
    whole_file: bool
    rows: tuple[int, int]
    reach: int

    def covers(self, diagnostic: Diagnostic) -> bool:
        """Whether the comment suppresses a finding.

        It does on any row of the finding, and at the end of a statement of several rows.
        """
        return self.is_about(diagnostic.code) and (self.whole_file or self._is_near(diagnostic.site.span))

    def is_about(self, code: str) -> bool:
        """Whether the comment names a code, or a part of it, or everything."""
        return self.codes is None or code.startswith(self.codes)

    def _is_near(self, span: Span) -> bool:
        first, last = self.rows
        at_end = self.span.row == last and first <= span.row <= last
        return at_end or span.row <= self.span.row <= span.end_row or self.reach <= span.row <= self.span.row


@dataclass(frozen=True, slots=True)
class Use:
    """A comment that suppressed a finding, and the word in it that did (`IPL2`); `` without codes."""

    path: str
    comment: Span
    word: str


def suppressions(text: str) -> tuple[Suppression, ...]:
    """The comments of a source text that suppress something."""
    if "noqa" not in text.lower() and "inplace-lint:" not in text:
        return ()
    found: list[Suppression] = []
    pending: list[tokenize.TokenInfo] = []
    first = 0
    read = tokens(text)
    reach = {row: before + 1 for before, row in pairwise([0, *commentable_rows(read)])}
    for token in read:
        if token.type == tokenize.COMMENT:
            pending.append(token)
        elif token.type not in _BETWEEN:
            first = first or token.start[0]
        if token.type in (tokenize.NEWLINE, tokenize.ENDMARKER) or (token.type == tokenize.NL and not first):
            rows = (first or token.start[0], token.start[0])
            for comment in pending:
                found += _read(comment, rows, reach.get(comment.start[0], comment.start[0]))
            pending, first = [], 0
    # What is left precedes a place that cannot be read.
    for comment in pending:
        found += _read(comment, (comment.start[0],) * 2, comment.start[0])
    return tuple(found)


def suppress(text: str, diagnostics: Sequence[Diagnostic]) -> tuple[list[Diagnostic], frozenset[Use]]:
    """The findings of one file that no comment suppresses, and the comments that suppressed one."""
    covering_each = covering(suppressions(text) if diagnostics else (), diagnostics)
    kept: list[Diagnostic] = []
    used: set[Use] = set()
    for diagnostic, comments in zip(diagnostics, covering_each, strict=True):
        for comment in comments:
            words = [word for word in comment.codes or ("",) if diagnostic.code.startswith(word)]
            used.update(Use(diagnostic.site.path, comment.span, word) for word in words)
        if not comments:
            kept.append(diagnostic)
    return kept, frozenset(used)


def covering(comments: Sequence[Suppression], diagnostics: Iterable[Diagnostic]) -> Iterator[list[Suppression]]:
    """For each finding the comments that suppress it; the comments are in the order of the text."""
    of_file = [comment for comment in comments if comment.whole_file]
    of_rows = [comment for comment in comments if not comment.whole_file]
    rows = [comment.span.row for comment in of_rows]
    for diagnostic in diagnostics:
        if diagnostic.code in UNSUPPRESSIBLE:
            yield []
            continue
        span = diagnostic.site.span
        near = _near(of_rows, bisect_left(rows, span.row), span.end_row)
        yield [comment for comment in chain(of_file, near) if comment.covers(diagnostic)]


def _near(comments: Sequence[Suppression], start: int, end_row: int) -> Iterator[Suppression]:
    """The comments from one on, as far as they or their statements begin in the rows of a finding, or above."""
    for index in range(start, len(comments)):
        if min(comments[index].rows[0], comments[index].reach) > end_row:
            return
        yield comments[index]


def skips_file(text: str) -> bool:
    """Whether a comment asks to leave out the whole file."""
    return "skip-file" in text and any(each.whole_file and each.codes is None for each in suppressions(text))


_BETWEEN = frozenset(
    {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER}
)


def tokens(text: str) -> list[tokenize.TokenInfo]:
    """The tokens of a source text, up to a place that cannot be read."""
    found = []
    whole = text if text.endswith("\n") else text + "\n"
    try:
        for token in tokenize.generate_tokens(io.StringIO(whole).readline):
            found.append(token)
    except (tokenize.TokenError, SyntaxError):
        pass  # what was read so far still counts
    return found


def commentable_rows(tokens: Iterable[tokenize.TokenInfo]) -> list[int]:
    """The rows at whose end a comment may stand: not within a string, nor after a backslash."""
    rows: list[int] = []
    depth = 0
    for token in tokens:
        name = tokenize.tok_name[token.type]
        # From Python 3.12 on, parts of f-strings (and t-strings) are tokens of their own.
        depth += name.endswith("STRING_START") - name.endswith("STRING_END")
        if token.type in (tokenize.NEWLINE, tokenize.NL) and not depth:
            rows.append(token.start[0])
    return rows


def _read(comment: tokenize.TokenInfo, rows: tuple[int, int], reach: int) -> Iterator[Suppression]:
    """The suppressions in a comment, each up to the next `#`."""
    row, column = comment.start
    for part in re.finditer(r"#[^#]*", comment.string):
        read = _codes(part.group())
        if read is not None:
            start = column + part.start() + 1
            text = part.group().rstrip()
            span = Span(row, start, row, start + len(text))
            yield Suppression(span, text, read[0], read[1], rows, reach)


def _codes(part: str) -> tuple[tuple[str, ...] | None, bool] | None:
    """The codes that a part of a comment names, and whether for the whole file; None if it is about something else."""
    if own := OWN.match(part):
        listed = own["codes"] if own["codes"] is not None else own["bare"]
        codes = None if listed is None else tuple(re.findall(CODE, listed.upper()))
        return codes, own["verb"] == "skip-file"
    noqa = NOQA.match(part)
    if noqa is None or (noqa["colon"] and not noqa["codes"]):
        return None  # a colon without a code: too easily a slip to silence everything
    return (tuple(re.findall(CODE, noqa["codes"].upper())) if noqa["codes"] else None), False
