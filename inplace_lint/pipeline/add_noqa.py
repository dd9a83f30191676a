"""`# noqa: IPL202` for present findings: where the comments go."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from inplace_lint.findings.diagnostic import Diagnostic, Edit
from inplace_lint.findings.suppress import NOQA, UNSUPPRESSIBLE, commentable_rows, suppressions, tokens
from inplace_lint.source.place import Span


def noqa_edits(text: str, diagnostics: Iterable[Diagnostic]) -> list[Edit]:
    """Edits of a source text that suppress its findings, one for each row that needs a comment.

    A `# noqa` that names codes is extended, and other comments are kept. Findings that cannot be
    suppressed are left alone.
    """
    rows = commentable_rows(tokens(text))
    lines = text.split("\n")
    wanted: dict[int, set[str]] = {}
    for diagnostic in diagnostics:
        place = bisect_left(rows, diagnostic.site.span.row)
        if place < len(rows) and diagnostic.code not in UNSUPPRESSIBLE:
            wanted.setdefault(rows[place], set()).add(diagnostic.code)
    listed = {each.span.row: each for each in suppressions(text) if each.codes and NOQA.match(each.text)}
    edits: list[Edit] = []
    for row, codes in sorted(wanted.items()):
        end = len(lines[row - 1].rstrip())
        if row in listed:
            found = NOQA.match(listed[row].text)
            assert found is not None
            column = listed[row].span.column + found.end("codes")
            edits.append(Edit(Span(row, column, row, column), "".join(f", {code}" for code in sorted(codes))))
        else:
            edits.append(Edit(Span(row, end + 1, row, end + 1), f"  # noqa: {', '.join(sorted(codes))}"))
    return edits
