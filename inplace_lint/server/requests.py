"""What the editor asks about a place: actions, hover; and the commands behind actions."""

from __future__ import annotations

import os

from lsprotocol import types as lsp

from inplace_lint.knowledge.facts import Known
from inplace_lint.knowledge.lookup import hints, known_at
from inplace_lint.server import answers
from inplace_lint.server.actions import (
    EXPLAIN_COMMAND,
    FIX_ALL,
    REASON_COMMAND,
    WHY,
    WHY_COMMAND,
    actions,
)
from inplace_lint.server.documents import holding, path_of
from inplace_lint.server.hover import hover_text, inlay_hint
from inplace_lint.server.language_server import Server
from inplace_lint.server.pages import SCHEME, rule_page
from inplace_lint.server.running import printed

_KINDS = [lsp.CodeActionKind.QuickFix, FIX_ALL, WHY]


def register(server: Server) -> None:
    """Have these requests answered."""

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions(code_action_kinds=_KINDS))
    def code_action(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        places = server.places()
        uri = params.text_document.uri
        document = holding(places.documents, uri)
        part = document.part(uri) if document is not None else None
        if document is None or part is None:
            return []
        offered = actions(document, part, server.found(document), params.range, places, _shows_documents(server))
        only = params.context.only
        return [each for each in offered if only is None or any(_is_of_kind(each.kind or "", kind) for kind in only)]

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    async def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        uri = params.text_document.uri
        asked = holding(server.documents(), uri)
        known = await server.knowing.of(asked.path) if asked is not None else None
        places = server.places()
        document = holding(places.documents, uri)
        part = document.part(uri) if document is not None else None
        if document is None or part is None:
            return None
        tensor: Known | None = None
        if known is not None and known.text == document.text:
            row, column = places.point(part, params.position)
            tensor = known_at(known.knowledge, document.above(part) + row, column)
        found = [(places.diagnostic(each).range, each) for each in server.found(document) if each.cell == part.cell]
        text = hover_text(found, params.position, tensor, places)
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text)) if text is not None else None

    @server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
    async def inlay_hints(params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        uri = params.text_document.uri
        asked = holding(server.documents(), uri) if server.hints else None
        known = await server.knowing.of(asked.path) if asked is not None else None
        places = server.places()
        document = holding(places.documents, uri)
        part = document.part(uri) if document is not None else None
        if known is None or document is None or part is None or known.text != document.text:
            return []
        first = document.above(part) + params.range.start.line + 1
        rows = range(first, first + params.range.end.line - params.range.start.line + 1)
        found = hints(known.knowledge, rows)
        return [inlay_hint(each, places) for each in found if each.place.cell == part.cell]

    @server.feature(lsp.WORKSPACE_TEXT_DOCUMENT_CONTENT, lsp.TextDocumentContentRegistrationOptions(schemes=[SCHEME]))
    def page(params: lsp.TextDocumentContentParams) -> lsp.TextDocumentContentResult:
        return lsp.TextDocumentContentResult(server.pages.read(params.uri))

    _commands(server)


def _commands(server: Server) -> None:
    @server.command(EXPLAIN_COMMAND)
    async def explain(code: str) -> str:
        return await server.pages.show(f"rules/{code.upper()}.md", rule_page(code.upper()))

    @server.command(WHY_COMMAND)
    async def why(uri: str, line: int) -> str:
        document = holding(server.documents(), uri)
        part = document.part(uri) if document is not None else None
        if document is None or part is None:
            return ""
        answer = await server.checks.ask(answers.why, document.path, line + 1, part.cell) or ""
        return await server.pages.show(f"why/{os.path.basename(document.path)}-{line + 1}.md", _fenced(answer))

    @server.command(REASON_COMMAND)
    async def reason(uri: str, line: int, character: int) -> None:
        at = lsp.Position(line, character)
        shown = lsp.ShowDocumentParams(uri, take_focus=True, selection=lsp.Range(at, at))
        await server.window_show_document_async(shown)

    for name in ("confirm", "memory"):
        _running_command(server, name)


def _running_command(server: Server, name: str) -> None:
    @server.command(f"inplace-lint.{name}")
    async def run(*arguments: str) -> str:
        words = [path_of(each) if each.startswith("file:") else each for each in arguments]
        python = server.options.get("interpreter")
        folder = next(iter(server.folders), os.getcwd())
        output = await printed(python if isinstance(python, str) else None, name, words, folder)
        return await server.pages.show(f"{name}.md", _fenced(output))


def _fenced(text: str) -> str:
    return f"```text\n{text.rstrip()}\n```\n"


def _shows_documents(server: Server) -> bool:
    window = server.client_capabilities.window
    return bool(window is not None and window.show_document is not None and window.show_document.support)


def _is_of_kind(kind: str, asked: str) -> bool:
    return kind == asked or kind.startswith(f"{asked}.")
