"""The language server with another editor: several folders, columns in bytes, pages, and programs that run."""

from __future__ import annotations

import ast
import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types as lsp
from pygls import uris
from pygls.workspace import PositionCodec
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities, make_test_lsp_client

from inplace_lint.server.documents import Document, Part
from inplace_lint.server.places import Places
from inplace_lint.source.place import Span

pytestmark = pytest.mark.asyncio(loop_scope="module")

LINE = "漢 = '🙂'; y = torch.sigmoid(x); y.mul_(2)"
PROGRAM = f"import torch\n\nx = torch.randn(3, requires_grad=True)\n{LINE}\ny.sum().backward()\n"

MODEL = """import torch

def gate(x):
    z = x + 1
    return z.mul_(2)

def example_inputs():
    return torch.randn(64, requires_grad=True)
"""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two projects: one of them does not want to see the finding."""
    found = [tmp_path_factory.mktemp(name) for name in ("loud", "quiet")]
    for folder in found:
        (folder / "main.py").write_text(PROGRAM, "utf-8")
    (found[1] / "inplace-lint.toml").write_text('ignore = ["IPL202"]\n')
    return found


def _client() -> LanguageClient:
    """A client with settings, which answers who asks for them."""
    client = make_test_lsp_client()
    client.set_configuration({"inplace-lint": {"settings": {"ignore": ["IPL9"]}}})
    client.registrations = []  # type: ignore[attr-defined]

    @client.feature(lsp.CLIENT_REGISTER_CAPABILITY)
    def register(params: lsp.RegistrationParams) -> None:
        client.registrations.extend(params.registrations)  # type: ignore[attr-defined]

    return client


@pytest_lsp.fixture(
    scope="module",
    loop_scope="module",
    config=ClientServerConfig([sys.executable, "-m", "inplace_lint", "server"], client_factory=_client),
)
async def client(lsp_client: LanguageClient, folders: list[Path]) -> AsyncIterator[None]:
    capabilities = client_capabilities("neovim")
    capabilities.general = lsp.GeneralClientCapabilities(position_encodings=[lsp.PositionEncodingKind.Utf8])
    capabilities.window = lsp.WindowClientCapabilities(show_document=lsp.ShowDocumentClientCapabilities(True))
    changing = lsp.DidChangeConfigurationClientCapabilities(dynamic_registration=True)
    capabilities.workspace = lsp.WorkspaceClientCapabilities(
        workspace_folders=True, configuration=True, did_change_configuration=changing
    )
    roots = [lsp.WorkspaceFolder(folder.as_uri(), folder.name) for folder in folders]
    asked = lsp.InitializeParams(capabilities, workspace_folders=roots, initialization_options={"workspace": True})
    told = await lsp_client.initialize_session(asked)
    assert told.capabilities.position_encoding == lsp.PositionEncodingKind.Utf8
    yield
    await lsp_client.shutdown_session()


def _open(client: LanguageClient, file: Path) -> lsp.TextDocumentIdentifier:
    item = lsp.TextDocumentItem(file.as_uri(), "python", 1, file.read_text("utf-8"))
    client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
    return lsp.TextDocumentIdentifier(item.uri)


async def _codes(client: LanguageClient, where: lsp.TextDocumentIdentifier) -> list[Any]:
    report = await client.text_document_diagnostic_async(lsp.DocumentDiagnosticParams(where))
    assert isinstance(report, lsp.RelatedFullDocumentDiagnosticReport)
    return [each.code for each in report.items]


async def _shown(client: LanguageClient, where: lsp.TextDocumentIdentifier, codes: list[str]) -> None:
    """Wait until these are the findings."""
    for _ in range(200):
        if (found := await _codes(client, where)) == codes:
            return
        await asyncio.sleep(0.05)
    raise AssertionError(found)


async def _all(client: LanguageClient) -> dict[str, list[Any]]:
    report = await client.workspace_diagnostic_async(lsp.WorkspaceDiagnosticParams([]))
    full = (each for each in report.items if isinstance(each, lsp.WorkspaceFullDocumentDiagnosticReport))
    return {Path(str(uris.to_fs_path(each.uri))).parent.name[:4]: [found.code for found in each.items] for each in full}


async def test_each_folder_has_its_settings_and_may_leave(client: LanguageClient, folders: list[Path]) -> None:
    loud, quiet = (_open(client, folder / "main.py") for folder in folders)
    assert await _codes(client, loud) == ["IPL202"]
    assert await _codes(client, quiet) == []
    assert await _all(client) == {"loud": ["IPL202"], "quie": []}
    gone = lsp.WorkspaceFoldersChangeEvent([], [lsp.WorkspaceFolder(folders[1].as_uri(), folders[1].name)])
    client.workspace_did_change_workspace_folders(lsp.DidChangeWorkspaceFoldersParams(gone))
    assert await _all(client) == {"loud": ["IPL202"]}
    gone = lsp.WorkspaceFoldersChangeEvent(gone.removed, [])
    client.workspace_did_change_workspace_folders(lsp.DidChangeWorkspaceFoldersParams(gone))
    assert await _all(client) == {"loud": ["IPL202"], "quie": []}
    for each in (loud, quiet):
        client.text_document_did_close(lsp.DidCloseTextDocumentParams(each))


async def test_columns_are_bytes(client: LanguageClient, folders: list[Path]) -> None:
    where = _open(client, folders[0] / "main.py")
    report = await client.text_document_diagnostic_async(lsp.DocumentDiagnosticParams(where))
    assert isinstance(report, lsp.RelatedFullDocumentDiagnosticReport)
    place = report.items[0].range
    line = LINE.encode()
    assert line[place.start.character : place.end.character] == b"y.mul_(2)"
    hover = await client.text_document_hover_async(lsp.HoverParams(where, lsp.Position(3, line.index(b"x)"))))
    assert hover is not None
    assert isinstance(hover.contents, lsp.MarkupContent)
    assert hover.contents.value.startswith("**`x`**")
    offered = await client.text_document_code_action_async(
        lsp.CodeActionParams(where, place, lsp.CodeActionContext([], only=["quickfix"]))
    )
    # The client takes an action with a command for a command.
    (reason,) = (each.command for each in offered or () if each.title.startswith("Suppress"))
    command = ast.literal_eval(str(reason))
    await client.workspace_execute_command_async(lsp.ExecuteCommandParams(command["command"], command["arguments"]))
    cursor = client.shown_documents[-1].selection
    assert cursor is not None
    assert cursor.start.character == len(line) + len("  # inplace-lint: ignore[IPL202] ")
    client.text_document_did_close(lsp.DidCloseTextDocumentParams(where))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_columns_of_all_encodings(encoding: str) -> None:
    path = str(Path("main.py").absolute())
    part = Part(Path(path).as_uri(), PROGRAM, 1)
    places = Places({path: Document(path, (part,))}, PositionCodec(lsp.PositionEncodingKind(encoding)))
    column = LINE.index("y.mul_") + 1
    found = places.location(path, None, Span(4, column, 4, column + 9)).range
    size = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
    units = LINE.encode(f"{encoding}-le" if size > 1 else encoding)
    assert units[size * found.start.character : size * found.end.character].decode(encoding + "-le" * (size > 1)) == (
        "y.mul_(2)"
    )
    assert places.point(part, found.start) == (4, column)


async def _page(client: LanguageClient, name: str, *arguments: str) -> tuple[str, str]:
    """The name of the file that a command has had shown, and its text, which the command returns, too."""
    told = await client.workspace_execute_command_async(lsp.ExecuteCommandParams(name, list(arguments)))
    file = Path(str(uris.to_fs_path(client.shown_documents[-1].uri)))
    assert file.read_text("utf-8") == told
    return file.name, told


async def test_pages_are_shown_as_files(client: LanguageClient) -> None:
    name, text = await _page(client, "inplace-lint.explain", "ipl202")
    assert (name, text[:8]) == ("IPL202.md", "# IPL202")


async def test_programs_run_beside_the_server(client: LanguageClient, folders: list[Path]) -> None:
    name, text = await _page(client, "inplace-lint.confirm", (folders[0] / "main.py").as_uri())
    assert name == "confirm.md"
    assert text.startswith("```text\n")
    assert "confirmed: raises" in text
    (folders[0] / "model.py").write_text(MODEL)
    name, text = await _page(client, "inplace-lint.memory", f"{(folders[0] / 'model.py').as_uri()}:gate")
    assert name == "memory.md"
    assert "model.py:5 mul_" in text


async def test_settings_are_asked_for_when_the_editor_says_that_they_changed(
    client: LanguageClient, folders: list[Path]
) -> None:
    (asked,) = [each for each in client.registrations if each.method == "workspace/didChangeConfiguration"]  # type: ignore[attr-defined]
    assert asked.register_options is None
    where = _open(client, folders[0] / "main.py")
    await _shown(client, where, ["IPL202"])
    client.set_configuration({"inplace-lint": {"settings": {"ignore": ["IPL202"]}}})
    client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams(None))
    await _shown(client, where, [])
    client.set_configuration({})  # what was said at the start is in force again
    client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams({}))
    await _shown(client, where, ["IPL202"])
    assert await _all(client)
    client.text_document_did_close(lsp.DidCloseTextDocumentParams(where))
