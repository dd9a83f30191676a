"""Diagnostics that the editor asks for: of a document, and of all files of its folders."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from lsprotocol import types as lsp

from inplace_lint.pipeline.session import Session
from inplace_lint.project.config import ConfigError
from inplace_lint.server.checks import BACKGROUND, Known
from inplace_lint.server.documents import holding, uri_of
from inplace_lint.server.language_server import Server

_OPTIONS = lsp.DiagnosticOptions(
    inter_file_dependencies=True, workspace_diagnostics=True, identifier="inplace-lint", work_done_progress=True
)


def register(server: Server) -> None:
    """Have these requests answered."""

    @server.feature(lsp.TEXT_DOCUMENT_DIAGNOSTIC, _OPTIONS)
    async def of_document(params: lsp.DocumentDiagnosticParams) -> lsp.DocumentDiagnosticReport:
        uri = params.text_document.uri
        document = holding(server.documents(), uri)
        known = await server.checks.current(document.path) if document is not None else None
        number = str(known.number) if known is not None else "none"
        if number == params.previous_result_id:
            return lsp.RelatedUnchangedDocumentDiagnosticReport(number)
        return lsp.RelatedFullDocumentDiagnosticReport(_shown(server, uri, known), result_id=number)

    @server.feature(lsp.WORKSPACE_DIAGNOSTIC)
    async def of_workspace(params: lsp.WorkspaceDiagnosticParams) -> lsp.WorkspaceDiagnosticReport:
        before = {each.uri: each.value for each in params.previous_result_ids}
        # Whoever has not asked for all files in the settings gets those that are open.
        paths = await _files(server) if server.options.get("workspace") else ()
        token = params.work_done_token
        if token is not None:
            begin = lsp.WorkDoneProgressBegin("inplace-lint", cancellable=True, percentage=0)
            server.work_done_progress.begin(token, begin)
        items: list[lsp.WorkspaceDocumentDiagnosticReport] = []
        for count, path in enumerate(paths):
            if token is not None and count % 10 == 0:
                told = lsp.WorkDoneProgressReport(
                    message=f"{count} of {len(paths)}", percentage=100 * count // len(paths)
                )
                server.work_done_progress.report(token, told)
                if server.work_done_progress.tokens[token].cancelled():
                    break
            known = await server.checks.current(path, BACKGROUND)
            new = _reports(server, path, known, before)
            if params.partial_result_token is not None:
                partial = lsp.WorkspaceDiagnosticReportPartialResult(new)
                server.protocol.notify(lsp.PROGRESS, lsp.ProgressParams(params.partial_result_token, partial))
            else:
                items += new
        if token is not None:
            server.work_done_progress.end(token, lsp.WorkDoneProgressEnd())
        return lsp.WorkspaceDiagnosticReport(items)


async def _files(server: Server) -> tuple[str, ...]:
    """All files to check, and none as long as the settings make no sense."""
    try:
        return await asyncio.wrap_future(server.checks.worker.submit(Session.files))
    except ConfigError as error:
        server.warn(f"inplace-lint: {error}")
        return ()


def _reports(
    server: Server, path: str, known: Known | None, before: Mapping[str, str]
) -> list[lsp.WorkspaceDocumentDiagnosticReport]:
    document = server.documents().get(path)
    parts = [(part.uri, part.version) for part in document.parts] if document is not None else [(uri_of(path), None)]
    number = str(known.number) if known is not None else "none"
    reports: list[lsp.WorkspaceDocumentDiagnosticReport] = []
    for uri, version in parts:
        if before.get(uri) == number:
            reports.append(lsp.WorkspaceUnchangedDocumentDiagnosticReport(uri, number, version))
        else:
            shown = _shown(server, uri, known)
            reports.append(lsp.WorkspaceFullDocumentDiagnosticReport(uri, shown, version, result_id=number))
    return reports


def _shown(server: Server, uri: str, known: Known | None) -> list[lsp.Diagnostic]:
    """The findings in a file, or in one cell of a notebook."""
    places = server.places()
    document = holding(places.documents, uri)
    part = document.part(uri) if document is not None else None
    found = known.found if known is not None else ()
    return [places.diagnostic(each) for each in found if part is None or each.cell == part.cell]
