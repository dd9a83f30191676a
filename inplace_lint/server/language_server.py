"""The server: what it knows of its editor, and what it tells it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from typing import Any

from lsprotocol import types as lsp
from pygls import uris
from pygls.lsp.server import LanguageServer

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.pipeline.session import Session
from inplace_lint.pipeline.worker import Worker
from inplace_lint.server.checks import Checks
from inplace_lint.server.documents import Document, documents
from inplace_lint.server.knowing import Knowing
from inplace_lint.server.pages import Pages
from inplace_lint.server.places import Places
from inplace_lint.version import __version__

# What editors call these settings.
SECTION = "inplace-lint"

_PYTHON = lsp.NotebookDocumentFilterWithCells(
    notebook=lsp.NotebookDocumentFilterNotebookType("jupyter-notebook"),
    cells=[lsp.NotebookCellLanguage("python")],
)


class Server(LanguageServer):
    """The linter for one editor.

    Args:
        worker: checks files. It is started before the editor has said what its folders are.
    """

    def __init__(self, worker: Worker) -> None:
        super().__init__("inplace-lint", __version__, notebook_document_sync=lsp.NotebookDocumentSyncOptions([_PYTHON]))
        self.pages = Pages(self)
        self.given: dict[str, Any] = {}
        self.options: dict[str, Any] = {}
        self.checks = Checks(worker, self.texts, self.told, self.warn, self.renew)
        self.knowing = Knowing(self.checks, self.texts)
        self._running: set[asyncio.Task[None]] = set()
        self._refreshing = False

    def documents(self) -> dict[str, Document]:
        """What is open, by path."""
        return documents(self.workspace)

    def texts(self) -> dict[str, str]:
        """The texts of what is open, by path."""
        return {path: document.text for path, document in self.documents().items()}

    def places(self) -> Places:
        """Translates places in what is open."""
        return Places(self.documents(), self.workspace.position_codec)

    def found(self, document: Document) -> tuple[Diagnostic, ...]:
        """The findings in a document if they are about its present text; else none."""
        known = self.checks.known.get(document.path)
        return known.found if known is not None and known.text == document.text else ()

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders that are open."""
        named = [uris.to_fs_path(each.uri) for each in self.workspace.folders.values()]
        named = named or [self.workspace.root_path]
        return tuple(os.path.abspath(each) for each in named if each)

    @property
    def settings(self) -> Mapping[str, object]:
        """Keys as in a configuration file, laid over it."""
        given = self.options.get("settings")
        return given if isinstance(given, dict) else {}

    @property
    def hints(self) -> bool:
        """Whether the user wants to see hints in the text."""
        return self.options.get("inlayHints") is True

    def know(self, path: str, after: float = 0.0) -> None:
        """Find out what is known in a document some seconds from now, for an editor that may ask for that."""
        text_document = self.client_capabilities.text_document
        if text_document is not None and text_document.hover is not None:
            self.knowing.ahead(path, after)

    def warn(self, message: str) -> None:
        """Tell the user."""
        self.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Warning, message))

    def renew(self) -> None:
        """Start the worker anew."""
        self.checks.worker.renew(self.folders, self.settings)

    def configure(self) -> None:
        """Read the settings anew, and check everything again."""
        self.checks.worker.submit(Session.configure, self.folders, self.settings)
        self.checks.forget()
        self.refresh()

    async def pull_configuration(self) -> None:
        """Ask the editor for its settings; what it does not say stays as it was at the start."""
        first = next(iter(self.workspace.folders.values()), None)
        item = lsp.ConfigurationItem(first.uri if first is not None else None, SECTION)
        (said, *_) = await self.workspace_configuration_async(lsp.ConfigurationParams([item])) or (None,)
        options = {**self.given, **(said if isinstance(said, dict) else {})}
        if options != self.options:
            self.options = options
            self.configure()

    def begin(self, work: Any) -> None:
        """Do something beside everything else."""
        task = asyncio.ensure_future(work)
        self._running.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:  # such as a request that is refused
            self.window_log_message(lsp.LogMessageParams(lsp.MessageType.Error, f"{type(error).__name__}: {error}"))

    @property
    def answers_configuration(self) -> bool:
        """Whether the editor can be asked for its settings."""
        workspace = self.client_capabilities.workspace
        return workspace is not None and workspace.configuration is True

    @property
    def pushes(self) -> bool:
        """Whether the editor is given findings; else it asks for them."""
        text_document = self.client_capabilities.text_document
        return text_document is None or text_document.diagnostic is None

    def clear(self, uri: str) -> None:
        """Show nothing of a document any more."""
        if self.pushes:
            self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))

    def told(self, path: str) -> None:
        """The findings in a file are new: give them to the editor, or have it ask for them."""
        if self.pushes:
            self._publish(path)
        if self.hints or not (self.pushes or self.checks.is_awaited(path)):
            self.refresh()

    def refresh(self) -> None:
        """Have the editor ask anew for what it asks for by itself."""
        if not self._refreshing:
            self._refreshing = True
            self.begin(self._refresh())

    def _publish(self, path: str) -> None:
        places = self.places()
        document, known = places.documents.get(path), self.checks.known.get(path)
        for part in document.parts if document is not None else ():
            found = [each for each in known.found if each.cell == part.cell] if known is not None else []
            shown = [places.diagnostic(each) for each in found]
            self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(part.uri, shown, version=part.version))

    async def _refresh(self) -> None:
        await asyncio.sleep(0.05)  # several files may have changed at once
        self._refreshing = False
        workspace = self.client_capabilities.workspace
        if workspace is None:
            return
        if not self.pushes and workspace.diagnostics is not None and workspace.diagnostics.refresh_support:
            await self.workspace_diagnostic_refresh_async(None)
        if workspace.inlay_hint is not None and workspace.inlay_hint.refresh_support:
            await self.workspace_inlay_hint_refresh_async(None)
