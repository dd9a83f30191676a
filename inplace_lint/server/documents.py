"""The documents that are open in the editor: files, and notebooks that are made of cells."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from lsprotocol import types as lsp
from pygls import uris
from pygls.workspace import TextDocument, Workspace

from inplace_lint.fixes.edit import lines_of
from inplace_lint.notebook import Layout, is_notebook, program_of


@dataclass(frozen=True, slots=True)
class Part:
    """A file, or a code cell of a notebook.

    Args:
        uri: what the editor calls it.
        text: its text.
        version: that of the text.
        cell: the number of the cell.
    """

    uri: str
    text: str
    version: int | None
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """What is checked as one program: a file, or all cells of a notebook."""

    path: str
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """The program."""
        if self.parts and self.parts[0].cell is None:
            return self.parts[0].text
        return program_of((part.cell or 0, part.text) for part in self.parts)

    def part(self, uri: str) -> Part | None:
        """The part with this name."""
        return next((part for part in self.parts if part.uri == uri), None)

    def above(self, part: Part) -> int:
        """How many rows of the program are above a part."""
        layout = Layout.of(self.text)
        return layout.rows[layout.numbers.index(part.cell)] if part.cell in layout.numbers else 0

    def in_cell(self, cell: int | None) -> Part | None:
        """A cell, or the file itself; None for what is about a notebook as a whole."""
        return next((part for part in self.parts if part.cell == cell), None)


def documents(workspace: Workspace) -> dict[str, Document]:
    """All Python documents, by path."""
    found: dict[str, Document] = {}
    of_cells: set[str] = set()
    for notebook in workspace.notebook_documents.values():
        cells = [(number, cell.document) for number, cell in enumerate(notebook.cells, 1)]
        of_cells.update(uri for _, uri in cells)
        read = ((number, _opened(workspace, uri)) for number, uri in cells)
        parts = tuple(Part(each.uri, each.source, each.version, number) for number, each in read if each is not None)
        path = path_of(notebook.uri)
        path = path if is_notebook(path) else f"{path}.ipynb"
        found[path] = Document(path, tuple(part for part in parts if _is_code(notebook.cells[(part.cell or 1) - 1])))
    for each in workspace.text_documents.values():
        if each.uri not in of_cells and _is_python(each):
            path = path_of(each.uri)
            found[path] = Document(path, (Part(each.uri, each.source, each.version),))
    return found


def holding(documents: Mapping[str, Document], uri: str) -> Document | None:
    """The document that has a part with this name."""
    direct = documents.get(path_of(uri))
    if direct is not None and direct.part(uri) is not None:
        return direct
    return next((each for each in documents.values() if each.part(uri) is not None), None)


def path_of(uri: str) -> str:
    """The absolute path that a name stands for; of a document that has never been saved, one that it might have."""
    path = uris.to_fs_path(uri)
    if path is None:
        path = uri.partition(":")[2]
    return os.path.abspath(path)


def uri_of(path: str) -> str:
    """The name of a file."""
    return uris.from_fs_path(path) or path


def _opened(workspace: Workspace, uri: str) -> TextDocument | None:
    return next((each for each in workspace.text_documents.values() if each.uri == uri), None)


def _is_code(cell: lsp.NotebookCell) -> bool:
    return cell.kind == lsp.NotebookCellKind.Code


def _is_python(document: TextDocument) -> bool:
    return document.language_id == "python" or document.path.endswith((".py", ".pyi"))


def _lines(document: TextDocument) -> tuple[str, ...]:
    return tuple(lines_of(document.source))


# `splitlines` would end a line at a form feed, too. The editor and Python do not: all places behind it would be off.
TextDocument.lines = property(_lines)  # type: ignore[method-assign, assignment]
