"""Why a line is reported or not, and what is known of tensors, from the texts of the editor. Runs in the worker."""

from __future__ import annotations

from collections.abc import Mapping

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.knowledge.facts import Knowledge
from inplace_lint.knowledge.index import knowledge_of
from inplace_lint.notebook import Layout, by_cell, is_notebook
from inplace_lint.pipeline.lint_file import lint_loaded
from inplace_lint.pipeline.session import Session
from inplace_lint.pipeline.worker import is_hurried
from inplace_lint.project.config import Config, ConfigError, override
from inplace_lint.source.errors import SourceError
from inplace_lint.why.answer import REFUTED_ELSEWHERE, answer
from inplace_lint.why.text import lines


def _found(session: Session, text: str, path: str, config: Config) -> list[Diagnostic]:
    found = lint_loaded(lambda: text, path, config, session.texts.load).diagnostics
    return by_cell(found, path, text) if is_notebook(path) else found


def knowledge(session: Session, path: str, texts: Mapping[str, str | None]) -> Knowledge | None:
    """What is known of the tensors of a file; None if it cannot be read, or not with the settings there are.

    Raises:
        Unwanted: the worker was hurried.
    """
    session.update(texts)
    text = session.texts.load(path)
    try:
        config = session.settings(path).of(path)
        return knowledge_of(text, path, session.texts.load, config, is_hurried) if text is not None else None
    except (SourceError, ConfigError):
        return None


def why(session: Session, path: str, texts: Mapping[str, str | None], row: int, cell: int | None) -> str:
    """The answer about a row of a file, or of a cell of a notebook."""
    session.update(texts)
    text = session.texts.load(path)
    if text is None:
        return f"{path} cannot be read"
    if is_notebook(path):
        layout = Layout.of(text)
        row += layout.rows[layout.numbers.index(cell)] if cell in layout.numbers else 0
    try:
        config = session.settings(path).of(path)
        bare = override(config, {"ignore-noqa": True})
        shown = {
            "reported": session.found_in(path),
            REFUTED_ELSEWHERE: session.refuted_in(path),
            "not shown: the baseline has it": _found(session, text, path, config),
            "not shown: a comment suppresses it": _found(session, text, path, bare),
        }
        given = answer(text, path, row, config, session.texts.load, shown)
    except SourceError as error:
        return f"{path}: {error.message}"
    except ConfigError as error:
        return str(error)
    return "\n".join(lines(given, text.split("\n")[row - 1]))
