"""`# noqa: IPL202`, or `# inplace-lint: ignore[IPL202]`, for present findings: where the comments go."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from inplace_lint.findings.diagnostic import Diagnostic, Edit
from inplace_lint.findings.suppress import UNSUPPRESSIBLE, Suppression, commentable_rows, suppressions, tokens
from inplace_lint.source.place import Span


@dataclass(frozen=True, slots=True)
class Form:
    """How to write a comment: in our own form with a reason, or as `# noqa`, which has none."""

    own: bool = False
    reason: str = ""

    def comment(self, codes: Iterable[str]) -> str:
        """A comment for some codes."""
        listed = ", ".join(sorted(codes))
        return f"# inplace-lint: ignore[{listed}] {self.reason}".rstrip() if self.own else f"# noqa: {listed}"

    def can_extend(self, there: Suppression) -> bool:
        """Whether codes can be added to a comment: a reason is meant for those that it has."""
        said = there.pragma
        alike = said.own == self.own and not said.whole_file and bool(said.words)
        return alike and (not self.own or said.reason == self.reason)


def suppressing_edits(text: str, diagnostics: Iterable[Diagnostic], form: Form) -> Iterator[Edit]:
    """Edits of a source text that suppress its findings, one for each row that needs a comment.

    A comment that names codes is extended, and other comments are kept. Findings that cannot be
    suppressed are left alone.
    """
    rows = commentable_rows(tokens(text))
    lines = text.split("\n")
    wanted: dict[int, set[str]] = {}
    for diagnostic in diagnostics:
        place = bisect_left(rows, diagnostic.site.span.row)
        if place < len(rows) and diagnostic.code not in UNSUPPRESSIBLE:
            wanted.setdefault(rows[place], set()).add(diagnostic.code)
    there = {each.span.row: each for each in suppressions(text) if form.can_extend(each)}
    for row, codes in sorted(wanted.items()):
        end = len(lines[row - 1].rstrip()) + 1
        if row in there and lines[row - 1][: there[row].span.column - 1].strip():
            column = there[row].span.column + there[row].pragma.listed[1]
            yield Edit(Span(row, column, row, column), "".join(f", {code}" for code in sorted(codes)))
        else:
            yield Edit(Span(row, end, row, end), f"  {form.comment(codes)}")
