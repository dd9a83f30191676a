"""What the editor offers to do about findings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lsprotocol import types as lsp

from inplace_lint.findings.diagnostic import Diagnostic, Edit
from inplace_lint.fixes.edit import compatible, lines_of
from inplace_lint.pipeline.add_noqa import Form, suppressing_edits
from inplace_lint.server.documents import Document, Part
from inplace_lint.server.places import Places

FIX_ALL = "source.fixAll.inplace-lint"
WHY = "source.why.inplace-lint"
EXPLAIN_COMMAND, WHY_COMMAND, REASON_COMMAND = "inplace-lint.explain", "inplace-lint.why", "inplace-lint.reason"

# Lines that may write in place. Elsewhere nobody wonders why nothing is reported.
_WRITES = re.compile(r"\w_\(|[-+*/%@&|^]=|<<=|>>=|\bout\s*=|\]\s*=[^=]|\.(?:data|grad)\b")


def actions(
    document: Document, part: Part, found: Sequence[Diagnostic], asked: lsp.Range, places: Places, places_cursor: bool
) -> Iterator[lsp.CodeAction]:
    """The actions for a range of a document.

    Args:
        document: the document.
        part: the part that is asked about.
        found: the findings in the document as it is.
        asked: the range.
        places: translates places.
        places_cursor: whether the editor can put its cursor somewhere, to have a reason written.
    """
    shown = [(places.diagnostic(each), each) for each in found if each.cell == part.cell]
    here = [(diagnostic, each) for diagnostic, each in shown if _meet(diagnostic.range, asked)]
    for diagnostic, each in here:
        yield from _fixes(document, diagnostic, each, places)
    for diagnostic, each in here:
        yield from _suppression(part, diagnostic, each, places, places_cursor)
        yield _command(f"Explain {each.code}", EXPLAIN_COMMAND, [each.code], lsp.CodeActionKind.QuickFix, [diagnostic])
    yield from _all_safe(document, found, places)
    lines = lines_of(part.text)
    line = lines[asked.start.line] if asked.start.line < len(lines) else ""
    if here or _WRITES.search(line):
        title = "What is known of the writes on this line?" if here else "Why is this not reported?"
        yield _command(title, WHY_COMMAND, [part.uri, asked.start.line], WHY)


def _fixes(
    document: Document, diagnostic: lsp.Diagnostic, found: Diagnostic, places: Places
) -> Iterator[lsp.CodeAction]:
    if found.fix is not None and found.fix.applicability != "display":
        safe = found.fix.applicability == "safe"
        yield lsp.CodeAction(
            f"{found.code}: {found.fix.message}{'' if safe else ' (unsafe: may change what the program computes)'}",
            kind=lsp.CodeActionKind.QuickFix,
            diagnostics=[diagnostic],
            is_preferred=safe,
            edit=places.change(document.path, found.fix.edits),
        )


def _suppression(
    part: Part, diagnostic: lsp.Diagnostic, found: Diagnostic, places: Places, places_cursor: bool
) -> Iterator[lsp.CodeAction]:
    text = "".join(lines_of(part.text)).replace("\r\n", "\n")
    edit = next(suppressing_edits(text, [found], Form(own=True)), None)
    if edit is None:
        return
    comment = edit.content + " " * (places_cursor and edit.content.startswith(" "))
    where = places.range(lines_of(part.text), edit.span)
    cursor = [part.uri, where.start.line, where.start.character + len(comment)]
    yield lsp.CodeAction(
        f"Suppress {found.code} here",
        kind=lsp.CodeActionKind.QuickFix,
        diagnostics=[diagnostic],
        edit=lsp.WorkspaceEdit(changes={part.uri: [lsp.TextEdit(where, comment)]}),
        command=lsp.Command("Write the reason", REASON_COMMAND, arguments=cursor) if places_cursor else None,
    )


def _all_safe(document: Document, found: Sequence[Diagnostic], places: Places) -> Iterator[lsp.CodeAction]:
    edits: list[Edit] = []
    for each in found:
        if each.fix is not None and each.fix.applicability == "safe":
            new = [edit for edit in each.fix.edits if edit not in edits]
            if all(compatible([edit], [e for e in edits if e.cell == edit.cell]) for edit in new):
                edits += new
    if edits:
        edit = places.change(document.path, edits)
        yield lsp.CodeAction("Fix all that is safe to fix (inplace-lint)", kind=FIX_ALL, edit=edit)


def _command(
    title: str,
    name: str,
    arguments: list[lsp.LSPAny],
    kind: lsp.CodeActionKind | str,
    diagnostics: list[lsp.Diagnostic] | None = None,
) -> lsp.CodeAction:
    command = lsp.Command(title, name, arguments=arguments)
    return lsp.CodeAction(title, kind=kind, diagnostics=diagnostics, command=command)


def _meet(one: lsp.Range, other: lsp.Range) -> bool:
    """Whether two ranges have a line in common."""
    return one.start.line <= other.end.line and other.start.line <= one.end.line
