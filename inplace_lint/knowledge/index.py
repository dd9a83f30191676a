"""What is known in a file: made once for a text."""

from __future__ import annotations

from collections.abc import Callable, Collection

from inplace_lint.effort import allowance
from inplace_lint.interpret.analysis.analyze import analyze
from inplace_lint.interpret.analysis.collected import Watch
from inplace_lint.interpret.state.run import Run
from inplace_lint.knowledge.facts import Hint, Knowledge
from inplace_lint.knowledge.observer import Observer
from inplace_lint.notebook import Layout, is_notebook
from inplace_lint.pipeline.stack import on_deep_stack
from inplace_lint.pipeline.worker import Unwanted
from inplace_lint.project.config import Config
from inplace_lint.project.environment import search_path
from inplace_lint.project.models import known
from inplace_lint.source import installed, ir
from inplace_lint.source.place import Site, Span
from inplace_lint.why.facts import Source


def knowledge_of(
    text: str,
    path: str,
    load: Callable[[str], str | None],
    config: Config | None = None,
    is_unwanted: Callable[[], bool] = lambda: False,
) -> Knowledge:
    """What autograd knows of the tensors of a file. Every entry point is run; nothing is executed.

    Args:
        text: the file's text; of a notebook, its program.
        path: its name.
        load: gives the text of another file, or None.
        config: the configuration of the file.
        is_unwanted: is asked again and again whether to stop.

    Raises:
        SourceError: the text is not Python.
        Unwanted: it was stopped.
    """
    config = config or Config()
    place = Source(path, Layout.of(text) if is_notebook(path) else None).place
    observer = Observer(path, text, place)
    effort = allowance(text)

    def statement(run: Run, each: ir.Stmt) -> None:
        if is_unwanted():
            effort.abandon()
        observer.statement(run, each)

    watch = Watch(statement, observer.path, observer.value)
    libraries = search_path(config.python, config.root)
    with known(config.models, config.torch_version), installed.using(libraries):
        on_deep_stack(lambda: analyze(text, path, [], load, effort=effort, watch=watch))
    if is_unwanted():
        raise Unwanted
    found = observer.known()
    spans = sorted({*found, *observer.plain})
    marks: dict[int, list[Hint]] = {}
    for span, labels in sorted(observer.marks.all().items()):
        here = place(Site(path, span))
        marks.setdefault(span.end_row, []).append(Hint(here, ", ".join(labels)))
    return Knowledge(found, _by_row(spans), {row: tuple(hints) for row, hints in marks.items()})


def _by_row(spans: Collection[Span]) -> dict[int, tuple[Span, ...]]:
    """The expressions that a row has a part of."""
    rows: dict[int, list[Span]] = {}
    for span in spans:
        for row in range(span.row, span.end_row + 1):
            rows.setdefault(row, []).append(span)
    return {row: tuple(found) for row, found in rows.items()}
