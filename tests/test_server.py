"""The language server, driven by a client of pytest-lsp: one server process for all tests."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import pytest_lsp
from lsprotocol import types as lsp
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities, make_test_lsp_client

pytestmark = pytest.mark.asyncio(loop_scope="module")

LIB = "def gate(t):\n    t.mul_(2)\n"
HEAD = "import torch\n\nx = torch.randn(3, requires_grad=True)\n"
CALLER = "import torch\nfrom lib import gate\n\nx = torch.randn(3, requires_grad=True)\ny = torch.sigmoid(x)\ngate(y)\n"
CALLER += "y.sum().backward()\n"
SAVED = HEAD + "y = torch.sigmoid(x); 漢字 = '🙂'; y.mul_(2)\ny.sum().backward()\n"
CELLS = ["import torch\nx = torch.randn(3)\n", "# text\n", "y = x * torch.sigmoid_(x)\n"]


def _client() -> LanguageClient:
    client = make_test_lsp_client()

    @client.feature(lsp.CLIENT_REGISTER_CAPABILITY)
    def register(params: lsp.RegistrationParams) -> None:
        client.registrations = params.registrations  # type: ignore[attr-defined]

    return client


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    (folder / "lib.py").write_text(LIB)
    (folder / "main.py").write_text(CALLER)
    return folder


@pytest_lsp.fixture(
    scope="module",
    loop_scope="module",
    config=ClientServerConfig([sys.executable, "-m", "inplace_lint", "server"], client_factory=_client),
)
async def client(lsp_client: LanguageClient, folder: Path) -> AsyncIterator[None]:
    capabilities = client_capabilities("neovim")
    assert capabilities.text_document is not None
    capabilities.text_document.diagnostic = None  # these are pushed; what is asked for is the same
    capabilities.window = None  # pages are returned by the commands, too
    capabilities.general = lsp.GeneralClientCapabilities(position_encodings=[lsp.PositionEncodingKind.Utf16])
    capabilities.workspace = lsp.WorkspaceClientCapabilities(
        did_change_watched_files=lsp.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True)
    )
    options = {"workspace": True}
    await lsp_client.initialize_session(
        lsp.InitializeParams(capabilities=capabilities, root_uri=folder.as_uri(), initialization_options=options)
    )
    yield
    await lsp_client.shutdown_session()


class Editor:
    """Opens and edits documents, and waits for what is shown of them."""

    def __init__(self, client: LanguageClient, folder: Path) -> None:
        self.client, self.folder = client, folder

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def open(self, name: str, text: str) -> None:
        item = lsp.TextDocumentItem(self.uri(name), "python", 1, text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))

    def edit(self, name: str, text: str, version: int) -> None:
        change = lsp.TextDocumentContentChangeWholeDocument(text)
        where = lsp.VersionedTextDocumentIdentifier(uri=self.uri(name), version=version)
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(where, [change]))

    def close(self, name: str) -> None:
        self.client.text_document_did_close(lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(self.uri(name))))

    async def shown(self, name: str, codes: Sequence[str]) -> Sequence[lsp.Diagnostic]:
        """The diagnostics of a document once they have these codes."""

        def there() -> bool:
            found = self.client.diagnostics.get(self.uri(name))
            return found is not None and [each.code for each in found] == list(codes)

        for _ in range(600):
            if there():
                return self.client.diagnostics[self.uri(name)]
            await asyncio.sleep(0.05)
        raise AssertionError((name, self.client.diagnostics.get(self.uri(name)), self.client.log_messages))

    async def pulled(self, name: str, before: str | None = None) -> lsp.DocumentDiagnosticReport:
        where = lsp.TextDocumentIdentifier(self.uri(name))
        return await self.client.text_document_diagnostic_async(
            lsp.DocumentDiagnosticParams(where, previous_result_id=before)
        )

    async def actions(self, name: str, at: lsp.Range, only: Sequence[str] | None = None) -> dict[str, Any]:
        where = lsp.TextDocumentIdentifier(self.uri(name))
        asked = lsp.CodeActionParams(where, at, lsp.CodeActionContext([], only=only))
        given = await self.client.text_document_code_action_async(asked)
        return {each.title: each for each in given or ()}

    async def hover(self, uri: str, line: int, character: int) -> str | None:
        where, at = lsp.TextDocumentIdentifier(uri), lsp.Position(line, character)
        hover = await self.client.text_document_hover_async(lsp.HoverParams(where, at))
        assert hover is None or isinstance(hover.contents, lsp.MarkupContent)
        return hover.contents.value if hover is not None else None

    async def hints(self, uri: str, first: int, last: int) -> list[tuple[int, int, Any]]:
        where = lsp.Range(lsp.Position(first, 0), lsp.Position(last, 0))
        asked = lsp.InlayHintParams(lsp.TextDocumentIdentifier(uri), where)
        found = await self.client.text_document_inlay_hint_async(asked)
        return [(each.position.line, each.position.character, each.label) for each in found or ()]

    def configure(self, **settings: object) -> None:
        asked = lsp.DidChangeConfigurationParams({"inplace-lint": settings})
        self.client.workspace_did_change_configuration(asked)

    async def command(self, name: str, *arguments: object) -> Any:
        asked = lsp.ExecuteCommandParams(name, list(arguments))
        return await self.client.workspace_execute_command_async(asked)


@pytest_asyncio.fixture(loop_scope="module")
async def editor(client: LanguageClient, folder: Path) -> Editor:
    return Editor(client, folder)


def rows(diagnostic: lsp.Diagnostic) -> list[tuple[str, int]]:
    return [
        (Path(each.location.uri).name, each.location.range.start.line + 1)
        for each in diagnostic.related_information or ()
    ]


async def test_the_story_of_a_finding_leads_to_other_files(editor: Editor) -> None:
    editor.open("main.py", CALLER)
    (found,) = await editor.shown("main.py", ["IPL202"])
    assert rows(found) == [("lib.py", 2), ("main.py", 5), ("main.py", 7)]
    assert found.message.endswith("(in lib.py:2)")
    assert (found.source, found.severity, found.range.start.line) == ("inplace-lint", lsp.DiagnosticSeverity.Error, 5)
    # An edit of the other file, which is not saved, refreshes this one, and moves the finding there.
    editor.open("lib.py", LIB)
    await editor.shown("main.py", [])
    (found,) = await editor.shown("lib.py", ["IPL202"])
    assert rows(found) == [("main.py", 5), ("main.py", 6), ("main.py", 7)]
    editor.edit("lib.py", LIB.replace("t.mul_", "return t.mul"), 2)
    await editor.shown("lib.py", [])
    editor.close("lib.py")
    await editor.shown("main.py", ["IPL202"])
    editor.close("main.py")


async def test_positions_count_in_the_editors_units_and_fixes_apply(editor: Editor) -> None:
    editor.open("wide.py", SAVED)
    (found,) = await editor.shown("wide.py", ["IPL202"])
    line = SAVED.split("\n")[3]
    units = line.encode("utf-16-le")
    start, end = found.range.start.character, found.range.end.character
    assert units[2 * start : 2 * end].decode("utf-16-le") == "y.mul_(2)"
    offered = await editor.actions("wide.py", found.range)
    fix = next(iter(offered.values()))
    assert fix.is_preferred
    assert "unsafe" not in fix.title
    for edit in sorted(fix.edit.changes[editor.uri("wide.py")], key=lambda each: -each.range.start.character):
        start, end = edit.range.start.character, edit.range.end.character
        units = units[: 2 * start] + edit.new_text.encode("utf-16-le") + units[2 * end :]
    assert units.decode("utf-16-le") == line.replace("y.mul_(2)", "y = y.mul(2)")
    suppressed = offered["Suppress IPL202 here"].edit
    (edit,) = suppressed.changes[editor.uri("wide.py")]
    assert edit.new_text == "  # inplace-lint: ignore[IPL202]"
    assert edit.range.start.character == len(line.encode("utf-16-le")) // 2
    lines = SAVED.split("\n")
    lines[3] += edit.new_text
    editor.edit("wide.py", "\n".join(lines), 2)
    await editor.shown("wide.py", [])
    where = lsp.Range(lsp.Position(3, 0), lsp.Position(3, 0))
    assert [*await editor.actions("wide.py", where)] == ["Why is this not reported?"]
    told = await editor.command("inplace-lint.why", editor.uri("wide.py"), 3)
    assert "not shown: a comment suppresses it" in told
    editor.close("wide.py")


async def test_fix_all_takes_what_is_safe(editor: Editor) -> None:
    editor.open("all.py", SAVED + CELLS[0] + CELLS[2])
    (_, unsafe) = await editor.shown("all.py", ["IPL202", "IPL302"])
    everywhere = lsp.Range(lsp.Position(0, 0), lsp.Position(20, 0))
    offered = await editor.actions("all.py", everywhere, ["source.fixAll"])
    assert [each.kind for each in offered.values()] == ["source.fixAll.inplace-lint"]
    (fix,) = offered.values()
    assert {each.range.start.line for each in fix.edit.changes[editor.uri("all.py")]} == {3}
    titles = await editor.actions("all.py", unsafe.range, ["quickfix"])
    assert any("unsafe" in each for each in titles)
    editor.close("all.py")


async def test_the_last_good_findings_stay_while_the_text_is_no_python(editor: Editor) -> None:
    editor.open("typing.py", SAVED)
    await editor.shown("typing.py", ["IPL202"])
    editor.edit("typing.py", SAVED + "def f(", 2)
    report = await editor.pulled("typing.py")
    assert isinstance(report, lsp.RelatedFullDocumentDiagnosticReport)
    assert [each.code for each in report.items] == ["IPL202"]
    editor.edit("typing.py", SAVED.replace("y.mul_(2)", "y = y.mul(2)"), 3)
    await editor.shown("typing.py", [])
    editor.close("typing.py")


async def test_findings_can_be_asked_for(editor: Editor) -> None:
    editor.open("pulled.py", SAVED)
    report = await editor.pulled("pulled.py")
    assert isinstance(report, lsp.RelatedFullDocumentDiagnosticReport)
    assert [each.code for each in report.items] == ["IPL202"]
    again = await editor.pulled("pulled.py", report.result_id)
    assert isinstance(again, lsp.RelatedUnchangedDocumentDiagnosticReport)
    editor.close("pulled.py")


async def test_all_files_of_the_workspace(editor: Editor) -> None:
    asked = lsp.WorkspaceDiagnosticParams([], work_done_token="all")
    report = await editor.client.workspace_diagnostic_async(asked)
    found = {Path(each.uri).name: each for each in report.items}
    assert found.keys() == {"lib.py", "main.py"}
    before = [lsp.PreviousResultId(each.uri, str(each.result_id)) for each in report.items]
    report = await editor.client.workspace_diagnostic_async(lsp.WorkspaceDiagnosticParams(before))
    (lib,) = (each for each in report.items if each.uri.endswith("lib.py"))
    kinds = [type(each).__name__ for each in editor.client.progress_reports["all"]]
    assert kinds[0] == "WorkDoneProgressBegin"
    assert kinds[-1] == "WorkDoneProgressEnd"
    told = (
        [each.code for each in lib.items] if isinstance(lib, lsp.WorkspaceFullDocumentDiagnosticReport) else ["IPL202"]
    )
    assert told == ["IPL202"]


async def test_hover_and_explain(editor: Editor) -> None:
    editor.open("hover.py", SAVED)
    (found,) = await editor.shown("hover.py", ["IPL202"])
    uri, start = editor.uri("hover.py"), found.range.start
    told = await editor.hover(uri, start.line, start.character)
    assert told is not None
    rule, tensor = told.split("\n\n---\n\n")
    assert rule.startswith("**IPL202 saved-output-modified**")
    assert tensor.startswith(f"**`y`**: the result of `torch.sigmoid(x)` ([line 4]({uri}#L4))")
    assert f"saved for backward by `sigmoid` ([line 4]({uri}#L4))" in tensor
    assert await editor.hover(uri, 0, 0) is None
    # What is typed counts at once; what no Python is, for nothing.
    editor.edit("hover.py", SAVED.replace("sigmoid", "sinh") + "def f(", 2)
    assert await editor.hover(uri, 4, 0) is None
    editor.edit("hover.py", SAVED.replace("sigmoid", "sinh"), 3)
    assert "`torch.sinh(x)`" in str(await editor.hover(uri, 4, 0))
    assert (await editor.command("inplace-lint.explain", "IPL202")).startswith("# IPL202 saved-output-modified")
    content = lsp.TextDocumentContentParams("inplace-lint:/rules/IPL202.md")
    page = await editor.client.workspace_text_document_content_async(content)
    assert page.text.startswith("# IPL202")
    editor.close("hover.py")


async def test_hover_learns_of_edits_in_other_files(editor: Editor) -> None:
    editor.open("lib.py", LIB)
    editor.open("main.py", CALLER)
    uri = editor.uri("main.py")
    at_lib = f"version 1, last by `mul_` ([lib.py:2]({editor.uri('lib.py')}#L2))"
    assert at_lib in str(await editor.hover(uri, 6, 0))
    await editor.shown("lib.py", ["IPL202"])
    editor.edit("lib.py", LIB.replace("t.mul_", "return t.mul"), 2)
    await editor.shown("lib.py", [])
    told = await editor.hover(uri, 6, 0)
    assert told is not None
    assert "version 1" not in told
    editor.close("lib.py")
    editor.close("main.py")


async def test_hints_are_shown_to_those_who_want_them(editor: Editor) -> None:
    text = SAVED.replace("y = torch", "漢 = '🙂'; y = torch")
    editor.open("hints.py", text)
    uri = editor.uri("hints.py")
    assert await editor.hints(uri, 0, 9) == []
    editor.configure(workspace=True, inlayHints=True)
    saved, version = await editor.hints(uri, 0, 9)
    line = text.split("\n")[3]
    before = [len(line[: line.index(code) + len(code)].encode("utf-16-le")) // 2 for code in ("d(x)", "y.mul_(2)")]
    assert [saved, version] == [(3, before[0], "saved by sigmoid"), (3, before[1], "v1")]
    assert await editor.hints(uri, 4, 9) == []
    editor.configure(workspace=True)
    assert await editor.hints(uri, 0, 9) == []
    editor.close("hints.py")


async def test_a_notebook_is_one_program_of_cells(editor: Editor) -> None:
    uri = editor.uri("n.ipynb")
    kinds = [lsp.NotebookCellKind.Code, lsp.NotebookCellKind.Markup, lsp.NotebookCellKind.Code]
    cells = [lsp.NotebookCell(kind, f"{uri}#{index}") for index, kind in enumerate(kinds)]
    texts = [lsp.TextDocumentItem(f"{uri}#{index}", "python", 1, text) for index, text in enumerate(CELLS)]
    notebook = lsp.NotebookDocument(uri, "jupyter-notebook", 1, cells)
    editor.client.notebook_document_did_open(lsp.DidOpenNotebookDocumentParams(notebook, texts))
    (found,) = await _of_cell(editor, f"{uri}#2", 1)
    assert (found.code, found.range.start.line) == ("IPL302", 0)
    # A cell's text is in an address of its own, and rows count within it.
    assert f"made by `torch.randn(3)` ([cell 1, line 2]({uri}#0))" in str(await editor.hover(f"{uri}#2", 0, 4))
    editor.configure(workspace=True, inlayHints=True)
    assert await editor.hints(f"{uri}#2", 0, 1) == [(0, 25, "v1")]
    assert await editor.hints(f"{uri}#0", 0, 1) == []
    editor.configure(workspace=True)
    change = lsp.TextDocumentContentChangeWholeDocument(CELLS[2].replace("sigmoid_", "sigmoid"))
    edited = lsp.NotebookDocumentCellContentChanges(lsp.VersionedTextDocumentIdentifier(2, f"{uri}#2"), [change])
    event = lsp.NotebookDocumentChangeEvent(cells=lsp.NotebookDocumentCellChanges(text_content=[edited]))
    where = lsp.VersionedNotebookDocumentIdentifier(2, uri)
    editor.client.notebook_document_did_change(lsp.DidChangeNotebookDocumentParams(where, event))
    assert await _of_cell(editor, f"{uri}#2", 0) == []
    identifiers = [lsp.TextDocumentIdentifier(cell.document) for cell in cells]
    editor.client.notebook_document_did_close(
        lsp.DidCloseNotebookDocumentParams(lsp.NotebookDocumentIdentifier(uri), identifiers)
    )


async def _of_cell(editor: Editor, uri: str, count: int) -> list[lsp.Diagnostic]:
    for _ in range(600):
        found = editor.client.diagnostics.get(uri)
        if found is not None and len(found) == count:
            return list(found)
        await asyncio.sleep(0.05)
    raise AssertionError(editor.client.diagnostics)


async def test_settings_are_read_again_when_they_change(editor: Editor) -> None:
    editor.open("set.py", SAVED)
    await editor.shown("set.py", ["IPL202"])
    file = editor.folder / "inplace-lint.toml"
    for text, codes in (('ignore = ["IPL202"]', []), ("ignore = []", ["IPL202"])):
        file.write_text(text)
        event = lsp.FileEvent(file.as_uri(), lsp.FileChangeType.Changed)
        editor.client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([event]))
        await editor.shown("set.py", codes)
    file.write_text("ignore = 3")
    editor.client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([event]))
    for _ in range(600):
        if any("inplace-lint.toml" in each.message for each in editor.client.messages):
            break
        await asyncio.sleep(0.05)
    file.unlink()
    event = lsp.FileEvent(file.as_uri(), lsp.FileChangeType.Deleted)
    editor.client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([event]))
    assert any("inplace-lint.toml" in each.message for each in editor.client.messages)
    editor.close("set.py")


async def test_settings_are_read_again_with_the_next_edit_if_the_editor_does_not_tell(editor: Editor) -> None:
    editor.open("set.py", SAVED)
    editor.open("other.py", SAVED)
    for name in ("set.py", "other.py"):
        await editor.shown(name, ["IPL202"])
    base, file = editor.folder / "base.toml", editor.folder / "inplace-lint.toml"
    base.write_text("")
    changes: list[tuple[Path, str, list[str]]] = [
        (file, 'extend = "base.toml"\nignore = ["IPL202"]', []),
        (file, 'extend = "base.toml"', ["IPL202"]),
        (base, 'ignore = ["IPL202"]', []),
    ]
    for version, (changed, text, codes) in enumerate(changes, 2):
        changed.write_text(text)
        editor.edit("set.py", f"{SAVED}# {version}\n", version)
        for name in ("set.py", "other.py"):
            await editor.shown(name, codes)
    file.unlink()
    editor.edit("set.py", SAVED, len(changes) + 2)
    for name in ("set.py", "other.py"):
        await editor.shown(name, ["IPL202"])
    for name in ("set.py", "other.py"):
        editor.close(name)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are found in /proc")
async def test_a_worker_that_dies_is_started_anew_and_told(editor: Editor) -> None:
    editor.open("dies.py", SAVED)
    await editor.shown("dies.py", ["IPL202"])
    server = editor.client._server
    assert server is not None
    for worker in _children(server.pid):
        if "spawn_main" in Path(f"/proc/{worker}/cmdline").read_text():
            os.kill(worker, signal.SIGKILL)
    editor.edit("dies.py", SAVED + "# more\n", 2)
    for _ in range(600):
        if any("died" in each.message for each in editor.client.messages):
            break
        await asyncio.sleep(0.05)
    editor.edit("dies.py", SAVED.replace("y.mul_(2)", "y = y.mul(2)"), 3)
    await editor.shown("dies.py", [])
    assert any("died" in each.message for each in editor.client.messages)
    editor.close("dies.py")


def _children(pid: int) -> list[int]:
    found = (Path(f"/proc/{pid}/task")).glob("*/children")
    return [int(word) for file in found for word in file.read_text().split()]
