"""The server: what it does when documents, files and settings change."""

from __future__ import annotations

import os

from lsprotocol import types as lsp

from inplace_lint.pipeline.session import Session
from inplace_lint.pipeline.worker import Worker
from inplace_lint.server import pull, requests
from inplace_lint.server.checks import BACKGROUND, DEBOUNCE, DEPENDENT
from inplace_lint.server.documents import holding, path_of
from inplace_lint.server.knowing import PAUSE
from inplace_lint.server.language_server import SECTION, Server
from inplace_lint.server.pages import SCHEME

_SETTINGS = ("pyproject.toml", "inplace-lint.toml")
_WATCHED = ("**/*.py", "**/*.ipynb", *(f"**/{name}" for name in _SETTINGS))


def serve(worker: Worker) -> None:
    """Speak to an editor on standard input and output until it has enough."""
    server = Server(worker)
    _lifetime(server)
    _synchronization(server)
    requests.register(server)
    pull.register(server)
    server.start_io()


def _lifetime(server: Server) -> None:
    @server.feature(lsp.INITIALIZE)
    def initialize(params: lsp.InitializeParams) -> None:
        server.given = params.initialization_options if isinstance(params.initialization_options, dict) else {}
        server.options = server.given

    @server.feature(lsp.INITIALIZED)
    def initialized(_: lsp.InitializedParams) -> None:
        server.configure()
        server.begin(server.checks.run())
        server.begin(_offer(server))
        if server.answers_configuration:
            server.begin(server.pull_configuration())

    @server.feature(lsp.SHUTDOWN)
    def shutdown(_: None) -> None:
        server.checks.worker.end()


async def _offer(server: Server) -> None:
    """Ask the editor to tell when files and settings change; offer pages, which pygls does not announce."""
    workspace = server.client_capabilities.workspace or lsp.WorkspaceClientCapabilities()
    watching, pages = workspace.did_change_watched_files, workspace.text_document_content
    changing = workspace.did_change_configuration
    offered: list[lsp.Registration] = []
    if watching is not None and watching.dynamic_registration:
        files = lsp.DidChangeWatchedFilesRegistrationOptions([lsp.FileSystemWatcher(each) for each in _WATCHED])
        offered.append(lsp.Registration("inplace-lint-files", lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, files))
    if changing is not None and changing.dynamic_registration:
        # Without a section, an editor tells only that something changed: it is asked what.
        section = None if server.answers_configuration else {"section": SECTION}
        offered.append(lsp.Registration("inplace-lint-settings", lsp.WORKSPACE_DID_CHANGE_CONFIGURATION, section))
    if pages is not None and pages.dynamic_registration:
        schemes = lsp.TextDocumentContentRegistrationOptions(schemes=[SCHEME])
        offered.append(lsp.Registration("inplace-lint-pages", lsp.WORKSPACE_TEXT_DOCUMENT_CONTENT, schemes))
    if offered:
        await server.client_register_capability_async(lsp.RegistrationParams(offered))


def _synchronization(server: Server) -> None:
    checks = server.checks

    def edited(uri: str) -> None:
        document = holding(server.documents(), uri)
        if document is not None:
            checks.want(document.path, after=DEBOUNCE)
            server.know(document.path, PAUSE)

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        document = holding(server.documents(), params.text_document.uri)
        if document is not None:
            checks.want(document.path)
            server.know(document.path)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        edited(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        server.clear(params.text_document.uri)
        server.knowing.forget(path_of(params.text_document.uri))
        await checks.closed(path_of(params.text_document.uri))

    @server.feature(lsp.NOTEBOOK_DOCUMENT_DID_OPEN)
    def notebook_opened(params: lsp.DidOpenNotebookDocumentParams) -> None:
        for cell in params.cell_text_documents[:1]:
            opened(lsp.DidOpenTextDocumentParams(cell))

    @server.feature(lsp.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def notebook_changed(params: lsp.DidChangeNotebookDocumentParams) -> None:
        notebook = server.workspace.get_notebook_document(notebook_uri=params.notebook_document.uri)
        for cell in notebook.cells[:1] if notebook is not None else ():
            edited(cell.document)

    @server.feature(lsp.NOTEBOOK_DOCUMENT_DID_CLOSE)
    async def notebook_closed(params: lsp.DidCloseNotebookDocumentParams) -> None:
        for cell in params.cell_text_documents:
            server.clear(cell.uri)
        server.knowing.forget(path_of(params.notebook_document.uri))
        await checks.closed(path_of(params.notebook_document.uri))

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def files_changed(params: lsp.DidChangeWatchedFilesParams) -> None:
        names = {os.path.basename(path_of(each.uri)) for each in params.changes}
        if not names.isdisjoint(_SETTINGS):
            server.configure()
            return
        if any(each.type != lsp.FileChangeType.Changed for each in params.changes):
            checks.worker.submit(Session.forget_disk)
            checks.forget()
            return
        paths = {path_of(each.uri) for each in params.changes} - server.texts().keys()
        if paths:  # any check learns which files it read have changed
            checks.want_all([*server.texts()][:1], DEPENDENT)
            checks.want_all(paths & checks.known.keys(), BACKGROUND)

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders_changed(_: lsp.DidChangeWorkspaceFoldersParams) -> None:
        server.configure()

    @server.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configured(params: lsp.DidChangeConfigurationParams) -> None:
        given = params.settings.get(SECTION) if isinstance(params.settings, dict) else None
        if isinstance(given, dict):
            server.options = given
            server.configure()
        elif server.answers_configuration:
            server.begin(server.pull_configuration())
