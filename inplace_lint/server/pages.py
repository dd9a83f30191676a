"""Pages to read: rules, answers, what a command printed. The editor shows them beside the code."""

from __future__ import annotations

import os
import tempfile

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from inplace_lint.findings.registry import registry
from inplace_lint.server.documents import uri_of

SCHEME = "inplace-lint"


class Pages:
    """The pages that were made, by name.

    Args:
        server: speaks to the editor.
    """

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._texts: dict[str, str] = {}

    def read(self, uri: str) -> str:
        """The text of a page; empty if there is none with this name."""
        name = uri.partition(":")[2].lstrip("/")
        return self._texts.get(name) or rule_page(name.removesuffix(".md").rpartition("/")[2])

    async def show(self, name: str, text: str) -> str:
        """Show a page in whatever way the editor can; its text."""
        self._texts[name] = text
        client = self._server.client_capabilities
        if client.window is None or client.window.show_document is None or not client.window.show_document.support:
            self._server.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Info, text))
        else:
            virtual = client.workspace is not None and client.workspace.text_document_content is not None
            uri = f"{SCHEME}:/{name}" if virtual else _written(name, text)
            await self._server.window_show_document_async(lsp.ShowDocumentParams(uri, take_focus=True))
        return text


def rule_page(code: str) -> str:
    """What a rule says of itself; empty if there is no such rule."""
    entry = registry().get(code)
    return f"# {entry.rule.code} {entry.rule.name}\n\n{entry.documentation}\n" if entry is not None else ""


def _written(name: str, text: str) -> str:
    """A page as a file, for editors that know no other ones."""
    path = os.path.join(tempfile.mkdtemp(prefix="inplace-lint-"), os.path.basename(name))
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return uri_of(path)
