"""Jupyter notebooks: the program that their code cells make up, and the way back from it to the cells.

In the program each cell follows a comment that numbers it, so that the text alone gives the cell of
each row. A row of a cell is one row of the program, with the same columns.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from inplace_lint.findings.diagnostic import Diagnostic, Edit, Fix, Related
from inplace_lint.fixes.edit import edited
from inplace_lint.notebook.cells import NotebookError, cells_of, with_sources
from inplace_lint.notebook.magics import without_magics
from inplace_lint.source.errors import SourceError
from inplace_lint.source.place import Site, Span

# A comment of the user's that looks like this loses its form feed.
_MARK = re.compile(r"^#\f cell (\d+)$", re.MULTILINE)


def is_notebook(path: str) -> bool:
    """Whether a file is one by its name."""
    return path.endswith(".ipynb")


def program(text: str, path: str) -> str:
    """The program in a notebook; empty if its language is not Python.

    Args:
        text: the content of the file.
        path: its name, for errors.

    Raises:
        SourceError: it is no notebook that we can read.
    """
    try:
        cells = cells_of(text)
    except NotebookError as error:
        place = Span(error.row, error.column, error.row, error.column)
        raise SourceError(error.message, Site(path, place)) from error
    return program_of((cell.number, cell.source) for cell in cells)


def program_of(cells: Iterable[tuple[int, str]]) -> str:
    """The program that code cells make up, each given by its number and its source."""
    return "".join(f"#\f cell {number}\n{_code(source)}\n" for number, source in cells)


def _code(source: str) -> str:
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    return _MARK.sub(lambda comment: comment[0].replace("\f", " "), without_magics(source))


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the cells lie in a program.

    Args:
        rows: the row of each mark.
        numbers: the number that it gives.
    """

    rows: tuple[int, ...]
    numbers: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> Layout:
        """The layout of a program."""
        rows, numbers, row, end = [], [], 1, 0
        for mark in _MARK.finditer(text):
            row, end = row + text.count("\n", end, mark.start()), mark.start()
            rows.append(row)
            numbers.append(int(mark[1]))
        return cls(tuple(rows), tuple(numbers))

    def cell(self, span: Span) -> tuple[int | None, Span]:
        """The number of the cell around a span of the program, and the span in the cell."""
        index = bisect_right(self.rows, span.row) - 1
        if index < 0 or self.rows[index] == span.row:  # what is about the file as a whole
            return None, span
        above = self.rows[index]
        return self.numbers[index], replace(span, row=span.row - above, end_row=span.end_row - above)


def lines_of_cell(text: str, number: int) -> Sequence[str]:
    """The rows of a cell in a program."""
    layout = Layout.of(text)
    if number not in layout.numbers:
        return ()
    index = layout.numbers.index(number)
    rows = text.split("\n")
    end = layout.rows[index + 1] - 1 if index + 1 < len(layout.rows) else len(rows) - 1
    return rows[layout.rows[index] : end]


def sources(text: str) -> dict[int, str]:
    """The code cells of a notebook file as they are written, by number; none if it is no notebook."""
    try:
        return {cell.number: cell.source for cell in cells_of(text.removeprefix("\ufeff"))}
    except NotebookError:
        return {}


def by_cell(diagnostics: Iterable[Diagnostic], path: str, text: str) -> list[Diagnostic]:
    """The findings in a notebook and about it, with places in cells instead of in its program.

    Args:
        diagnostics: findings; only places in the notebook change.
        path: the notebook.
        text: its program.
    """
    layout = Layout.of(text)
    return [_placed(each, path, layout) for each in diagnostics]


def _placed(diagnostic: Diagnostic, path: str, layout: Layout) -> Diagnostic:
    related = tuple(_related(each, path, layout) for each in diagnostic.related)
    if diagnostic.site.path != path:
        return replace(diagnostic, related=related)
    number, span = layout.cell(diagnostic.site.span)
    fix = _fix(diagnostic.fix, layout) if diagnostic.fix else None
    return replace(diagnostic, site=Site(path, span), cell=number, related=related, fix=fix)


def _related(related: Related, path: str, layout: Layout) -> Related:
    if related.site.path != path:
        return related
    number, span = layout.cell(related.site.span)
    return replace(related, site=Site(path, span), cell=number)


def _fix(fix: Fix, layout: Layout) -> Fix:
    edits: list[Edit] = []
    for edit in fix.edits:
        number, span = layout.cell(edit.span)
        edits.append(replace(edit, span=span, cell=number))
    return replace(fix, edits=tuple(edits))


def edited_notebook(text: str, edits: Iterable[Edit]) -> str:
    """The content of a notebook file with edits of its cells applied that do not overlap.

    Raises:
        ValueError: it is no notebook.
    """
    try:
        cells = cells_of(text)
    except NotebookError as error:
        raise ValueError(error.message) from error
    wanted: dict[int, list[Edit]] = {}
    for edit in edits:
        wanted.setdefault(edit.cell or 0, []).append(edit)
    return with_sources(text, {cell.number: edited(cell.source, wanted.get(cell.number, ())) for cell in cells}, cells)
