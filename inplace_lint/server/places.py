"""From findings to what the editor shows: places in its documents, counted in its units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lsprotocol import types as lsp
from pygls.workspace import PositionCodec

from inplace_lint.findings.diagnostic import Diagnostic, Edit, Severity
from inplace_lint.fixes.edit import lines_of
from inplace_lint.project.reading import load
from inplace_lint.server.documents import Document, Part, uri_of
from inplace_lint.source.place import Span

SOURCE = "inplace-lint"

_SEVERITIES: Mapping[Severity, lsp.DiagnosticSeverity] = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "info": lsp.DiagnosticSeverity.Information,
}


@dataclass(frozen=True, slots=True)
class Places:
    """Translates places.

    Args:
        documents: those that are open.
        codec: counts columns as the editor does.
    """

    documents: Mapping[str, Document]
    codec: PositionCodec

    def location(self, path: str, cell: int | None, span: Span) -> lsp.Location:
        """Where something stands."""
        document = self.documents.get(path)
        part = document.in_cell(cell) if document is not None else None
        if part is not None:
            return lsp.Location(part.uri, self.range(lines_of(part.text), span))
        return lsp.Location(uri_of(path), self.range(lines_of(load(path) or ""), span))

    def range(self, lines: Sequence[str], span: Span) -> lsp.Range:
        """A span of a text, given by its lines."""
        return lsp.Range(self._point(lines, span.row, span.column), self._point(lines, span.end_row, span.end_column))

    def point(self, part: Part, position: lsp.Position) -> tuple[int, int]:
        """The row and the column of a position in a part of a document, as spans count them."""
        inside = self.codec.position_from_client_units(lines_of(part.text), position)
        return inside.line + 1, inside.character + 1

    def link(self, path: str, cell: int | None, span: Span) -> str:
        """The address of a place. Those of cells have no place for a row."""
        document = self.documents.get(path)
        part = document.in_cell(cell) if document is not None else None
        return part.uri if part is not None and cell is not None else f"{uri_of(path)}#L{span.row}"

    def diagnostic(self, found: Diagnostic) -> lsp.Diagnostic:
        """A finding with its story."""
        return lsp.Diagnostic(
            self.location(found.site.path, found.cell, found.site.span).range,
            found.message,
            severity=_SEVERITIES[found.severity],
            code=found.code,
            source=SOURCE,
            related_information=[
                lsp.DiagnosticRelatedInformation(self.location(each.site.path, each.cell, each.site.span), each.message)
                for each in found.related
            ],
        )

    def change(self, path: str, edits: Sequence[Edit]) -> lsp.WorkspaceEdit:
        """Edits of one document."""
        changes: dict[str, list[lsp.TextEdit]] = {}
        for edit in edits:
            where = self.location(path, edit.cell, edit.span)
            changes.setdefault(where.uri, []).append(lsp.TextEdit(where.range, edit.content))
        return lsp.WorkspaceEdit(changes=dict(changes))

    def _point(self, lines: Sequence[str], row: int, column: int) -> lsp.Position:
        line = lines[row - 1] if row <= len(lines) else ""
        return lsp.Position(row - 1, self.codec.client_num_units(line[: column - 1]))
