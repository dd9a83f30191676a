"""Where a finding is, in the words of people and in those of machines."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from os import path as paths
from urllib.parse import quote

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.report.escaping import path_bytes
from inplace_lint.source.place import Span

_INSTALLED = ("site-packages", "dist-packages")
_FIRST_LINE = Span(1, 1, 1, 1)


def relative(path: str) -> str:
    """The path relative to the working folder if it is beneath it."""
    return _relative(path, os.getcwd())


@lru_cache(maxsize=4096)
def _relative(path: str, folder: str) -> str:
    try:
        found = paths.relpath(path, folder)
    except ValueError:  # on another drive
        return path
    return path if _outside(found) else found


def brief(path: str) -> str:
    """A file of an installed package by its name in there (`timm/models/vit.py`), any other as `relative` has it."""
    for folder in _INSTALLED:
        _, found, inside = path.rpartition(f"{paths.sep}{folder}{paths.sep}")
        if found:
            return inside
    return relative(path)


def portable(path: str) -> str:
    """The same with `/`, whatever the system."""
    return relative(path).replace(paths.sep, "/")


def uri(path: str) -> str:
    """The path as a URI: relative to the working folder if it is beneath it, else with the scheme `file`."""
    shown = relative(path)
    if not paths.isabs(shown) and not _outside(shown):
        return quote(path_bytes(portable(shown)))
    drive, rest = paths.splitdrive(paths.abspath(shown).replace(paths.sep, "/"))
    host = drive if drive.startswith("//") else f"///{drive}" if drive else "//"
    return f"file:{host}{quote(path_bytes(rest))}"


def place(path: str, span: Span, cell: int | None = None, named: Callable[[str], str] = relative) -> str:
    """`a.py:7:1`, and in a notebook `a.ipynb:cell 3:2:5`."""
    return f"{named(path)}:{f'cell {cell}:' if cell else ''}{span.row}:{span.column}"


def line_place(path: str, span: Span, cell: int | None = None) -> str:
    """The same without the column."""
    return place(path, span, cell).rpartition(":")[0]


def stretch(diagnostic: Diagnostic) -> Span:
    """The span in the file as it lies on disk: that of a cell means nothing there, so it is the first line."""
    return _FIRST_LINE if diagnostic.cell else diagnostic.site.span


def in_cell(diagnostic: Diagnostic) -> str:
    """What a message needs to say first if `stretch` does not: `cell 3, row 2: `."""
    return f"cell {diagnostic.cell}, row {diagnostic.site.span.row}: " if diagnostic.cell else ""


def _outside(path: str) -> bool:
    return path.split(paths.sep)[0] == paths.pardir
