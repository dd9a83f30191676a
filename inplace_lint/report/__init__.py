"""How findings are printed: one module for each format, each with a function `render`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.report.places import brief, place, relative
from inplace_lint.source.place import Span

if TYPE_CHECKING:
    from inplace_lint.project.keys import Format

_STYLES = {"bold": "1", "dim": "2", "red": "1;31", "yellow": "1;33", "blue": "1;34", "cyan": "36", "green": "1;32"}


def _no_source(*_: object) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Report:
    """What there is to print.

    Args:
        diagnostics: the findings, in order.
        lines: the lines of a file, None if it cannot be read.
        color: whether to use the colours of a terminal.
        summary: whether formats for people close with a count.
        cell_lines: the lines of a cell of a notebook, which is counted from 1; None if it cannot be read.
        fixed: how many findings were fixed, and so are not among `diagnostics`.
        unsafe_fixes: whether the user asks for fixes that may change what the program computes.
        docs_url: where the documentation is published, for links to the rules.
        links: whether a terminal shows the text, which can follow links.
        subject: what was run, in formats that have a title.
        notes: what there is to say of the run besides its findings, likewise.
        brief: whether formats for people name files of installed packages without the folder that holds these.
        width: how many columns the terminal has that shows the text; None if none does.
    """

    diagnostics: Sequence[Diagnostic]
    lines: Callable[[str], Sequence[str] | None] = _no_source
    color: bool = False
    summary: bool = True
    cell_lines: Callable[[str, int], Sequence[str] | None] = _no_source
    fixed: int = 0
    unsafe_fixes: bool = False
    docs_url: str | None = None
    links: bool = False
    subject: str = ""
    notes: Sequence[str] = ()
    brief: bool = False
    width: int | None = None

    def file(self, path: str) -> str:
        """A path as people read it."""
        return brief(path) if self.brief else relative(path)

    def place(self, path: str, span: Span, cell: int | None = None) -> str:
        """`a.py:7:1`, and in a notebook `a.ipynb:cell 3:2:5`."""
        return place(path, span, cell, self.file)

    def source(self, path: str, cell: int | None) -> Sequence[str]:
        """The lines of a file or of a cell, none if they cannot be read."""
        return (self.cell_lines(path, cell) if cell else self.lines(path)) or ()

    def url(self, code: str) -> str | None:
        """The page of a rule, if the documentation is published."""
        return f"{self.docs_url}/rules/{code}/" if self.docs_url else None

    def linked(self, text: str, code: str) -> str:
        """The text as a link to the page of a rule, where that can be followed."""
        url = self.url(code) if self.color and self.links else None
        return f"\x1b]8;;{url}\x1b\\{text}\x1b]8;;\x1b\\" if url else text

    def paint(self, text: str, style: str) -> str:
        """The text in a style (`bold`, `red`...), plain without colours."""
        return painted(text, style) if self.color and text else text


def painted(text: str, style: str) -> str:
    """The text in a style, for a terminal."""
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m"


def render(report: Report, format: Format) -> str:
    """The report in a format: the empty string, or whole lines."""
    module = import_module(f"{__name__}.{format.replace('-', '_')}")
    text: str = module.render(report)
    return text + "\n" if text and not text.endswith("\n") else text
