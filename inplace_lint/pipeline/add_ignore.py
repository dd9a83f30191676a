"""`# inplace-lint: ignore[IPL202]` for one finding: where the comment goes."""

from __future__ import annotations

from bisect import bisect_left

from inplace_lint.findings.diagnostic import Diagnostic, Edit
from inplace_lint.findings.suppress import OWN, UNSUPPRESSIBLE, commentable_rows, suppressions, tokens
from inplace_lint.source.place import Span


def ignore_edit(text: str, found: Diagnostic) -> Edit | None:
    """The edit that suppresses a finding; None if there is no place for a comment, or it cannot be suppressed.

    A comment of ours that names codes is extended; a reason in it stays.

    Args:
        text: the text of the file, or of the cell of a notebook.
        found: a finding in it.
    """
    rows = commentable_rows(tokens(text))
    place = bisect_left(rows, found.site.span.row)
    if place >= len(rows) or found.code in UNSUPPRESSIBLE:
        return None
    row = rows[place]
    for comment in suppressions(text):
        own = OWN.match(comment.text)
        if comment.span.row == row and own is not None and own["codes"] is not None and comment.codes:
            column = comment.span.column + own.end("codes")
            return Edit(Span(row, column, row, column), f", {found.code}")
    end = len(text.split("\n")[row - 1].rstrip()) + 1
    return Edit(Span(row, end, row, end), f"  # inplace-lint: ignore[{found.code}] ")
