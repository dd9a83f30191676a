"""Comments that suppress findings: `# noqa: IPL202`, `# inplace-lint: ignore[IPL202] reason`."""

from __future__ import annotations

import io
import re
import tokenize
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.findings.pragma import Pragma, pragma
from inplace_lint.source.place import Span

# Of a file with one of these, nothing else can be said.
UNSUPPRESSIBLE = frozenset({"IPL902", "IPL903"})


@dataclass(frozen=True, slots=True)
class Suppression:
    """One comment.

    Args:
        span: the comment itself; there may be others in the same token.
        pragma: what it says.
        rows: first and last row of the statement that it belongs to.
    """

    span: Span
    pragma: Pragma
    rows: tuple[int, int]

    def covers(self, diagnostic: Diagnostic) -> bool:
        """Whether the comment suppresses a finding: one in its statement, or for the file any."""
        span, (first, last) = diagnostic.site.span, self.rows
        near = self.pragma.whole_file or (first <= span.end_row and span.row <= last)
        return near and any(True for _ in self.pragma.names(diagnostic.code, diagnostic.name))


@dataclass(frozen=True, slots=True)
class Use:
    """A comment that suppressed a finding, and the word in it that did (`IPL2`); `` without codes."""

    path: str
    comment: Span
    word: str


def suppressions(text: str) -> tuple[Suppression, ...]:
    """The comments of a source text that suppress something, in the order of their statements."""
    if "noqa" not in text.lower() and "inplace-lint:" not in text:
        return ()
    return tuple(_suppressions(tokens(text)))


def _suppressions(read: Iterable[tokenize.TokenInfo]) -> Iterator[Suppression]:
    here: list[Suppression] = []
    above: list[Suppression] = []  # on lines of their own, for the statement below
    first = 0
    for token in read:
        if token.type == tokenize.COMMENT:
            here += _read(token)
        elif token.type not in _BETWEEN:
            first = first or token.start[0]
        if token.type == tokenize.NEWLINE:
            rows = (first or token.start[0], token.start[0])
            yield from (replace(each, rows=rows) for each in [*above, *here])
            here, above, first = [], [], 0
        elif token.type == tokenize.NL and not first:
            above += (each for each in here if _holds_below(each.pragma))
            yield from (each for each in here if not _holds_below(each.pragma))
            here = []
    # What is left precedes the end, or a place that cannot be read.
    yield from above
    yield from here


def _holds_below(said: Pragma) -> bool:
    """Whether a comment on a line of its own is about the next statement; other tools' comments never are."""
    return said.own and not said.whole_file


def suppress(text: str, diagnostics: Sequence[Diagnostic]) -> tuple[list[Diagnostic], frozenset[Use]]:
    """The findings of one file that no comment suppresses, and the comments that suppressed one."""
    covering_each = covering(suppressions(text) if diagnostics else (), diagnostics)
    kept: list[Diagnostic] = []
    used: set[Use] = set()
    for diagnostic, comments in zip(diagnostics, covering_each, strict=True):
        for comment in comments:
            words = comment.pragma.names(diagnostic.code, diagnostic.name)
            used.update(Use(diagnostic.site.path, comment.span, word) for word in words)
        if not comments:
            kept.append(diagnostic)
    return kept, frozenset(used)


def covering(comments: Sequence[Suppression], diagnostics: Iterable[Diagnostic]) -> Iterator[list[Suppression]]:
    """For each finding the comments that suppress it."""
    of_file = [comment for comment in comments if comment.pragma.whole_file]
    # Statements do not overlap, so that the order of their last rows is that of their first rows.
    of_rows = sorted((each for each in comments if not each.pragma.whole_file), key=lambda each: each.rows[1])
    last_rows = [comment.rows[1] for comment in of_rows]
    for diagnostic in diagnostics:
        if diagnostic.code in UNSUPPRESSIBLE:
            yield []
            continue
        span = diagnostic.site.span
        near = _near(of_rows, bisect_left(last_rows, span.row), span.end_row)
        yield [comment for comment in chain(of_file, near) if comment.covers(diagnostic)]


def _near(comments: Sequence[Suppression], start: int, end_row: int) -> Iterator[Suppression]:
    """The comments from one on, as far as their statements begin in the rows of a finding, or above."""
    for index in range(start, len(comments)):
        if comments[index].rows[0] > end_row:
            return
        yield comments[index]


def skips_file(text: str) -> bool:
    """Whether a comment asks to leave out the whole file."""
    return "skip-file" in text and any(
        each.pragma.whole_file and each.pragma.words is None for each in suppressions(text)
    )


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


def _read(comment: tokenize.TokenInfo) -> Iterator[Suppression]:
    """The suppressions in a comment, each up to the next `#`."""
    row, column = comment.start
    for part in re.finditer(r"#[^#]*", comment.string):
        said = pragma(part.group())
        if said is not None:
            start = column + part.start() + 1
            yield Suppression(Span(row, start, row, start + len(said.text)), said, (row, row))
