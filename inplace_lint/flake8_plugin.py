"""The rules as a plug-in of flake8: codes `IPL...`, configured as for the command line."""

from __future__ import annotations

import ast
from argparse import Namespace
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from inplace_lint.report.escaping import visible
from inplace_lint.search_path import Closed
from inplace_lint.version import __version__

if TYPE_CHECKING:
    from inplace_lint.findings.diagnostic import Diagnostic
    from inplace_lint.project.settings import Settings


class Plugin:
    """Checks one file, as flake8 has read it.

    Args:
        tree: unused; asking for it makes flake8 call this once a file.
        filename: its path.
        lines: its lines, with their ends.
    """

    name = "inplace-lint"
    version = __version__
    _ignore_noqa = False

    def __init__(self, tree: ast.AST, filename: str, lines: Sequence[str]) -> None:
        self._path, self._text = filename, "".join(lines)

    @classmethod
    def parse_options(cls, options: Namespace) -> None:
        """Take over `--disable-noqa`."""
        cls._ignore_noqa = options.disable_noqa

    def run(self) -> Iterator[tuple[int, int, str, type[Plugin]]]:
        """Row, column from 0, code and message of each finding."""
        # `python -m flake8` looks for modules in the working folder first. What we need is not to be found there.
        with Closed():
            found = list(self._found())
        yield from found

    def _found(self) -> Iterator[tuple[int, int, str, type[Plugin]]]:
        from inplace_lint.pipeline.failures import without_rules
        from inplace_lint.pipeline.lint_file import lint_text
        from inplace_lint.project.config import ConfigError, override

        try:
            config = override(_settings().of(self._path), {"ignore-noqa": True} if self._ignore_noqa else {})
        except ConfigError as error:
            yield 1, 0, visible(f"IPL902 {error}"), type(self)
            return
        for notice in without_rules():
            yield 1, 0, f"{notice.code} {notice.message}", type(self)
        for diagnostic in lint_text(self._text, self._path, config):
            yield from self._reported(diagnostic)

    def _reported(self, diagnostic: Diagnostic) -> Iterator[tuple[int, int, str, type[Plugin]]]:
        """A finding in this file; one in another file where this one calls it."""
        from inplace_lint.report.places import line_place

        message = f"{diagnostic.code} {' '.join(diagnostic.message.split())}"
        calls = [related.site for related in diagnostic.related if related.role == "call"]
        sites = (diagnostic.site, *calls, *(related.site for related in diagnostic.related))
        own = next((site for site in sites if site.path == self._path), None)
        if own is not None and own != diagnostic.site:
            message += f" (in {line_place(diagnostic.site.path, diagnostic.site.span)})"
        if own is not None:
            yield own.span.row, own.span.column - 1, visible(message), type(self)


@cache
def _settings() -> Settings:
    # Of a whole run of flake8: it remembers the configuration files that it has read.
    from inplace_lint.project.settings import Settings

    return Settings()
