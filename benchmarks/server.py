"""How long an editor waits for the language server: `python benchmarks/server.py FOLDER... [--files N]`.

Opens files of the folders one after the other, edits each (a comment at its end) and asks for diagnostics, actions and
hovers, of which the first has to be waited for. The time of an edit is without the pause that the server makes after
each key. Only times of compiled builds tell anything: `--command PATH` names the `inplace-lint` to measure.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

DEBOUNCE = 0.15


async def measure(command: str, folders: Sequence[Path], most: int) -> None:
    """Measure and print."""
    files = sorted(file for folder in folders for file in folder.rglob("*.py"))
    files = random.Random(0).sample(files, min(most, len(files)))
    client = LanguageClient("benchmark", "0")
    began = perf_counter()
    await client.start_io(command, "server")
    roots = [lsp.WorkspaceFolder(folder.absolute().as_uri(), folder.name) for folder in folders]
    pulls = lsp.TextDocumentClientCapabilities(diagnostic=lsp.DiagnosticClientCapabilities())
    await client.initialize_async(
        lsp.InitializeParams(lsp.ClientCapabilities(text_document=pulls), workspace_folders=roots)
    )
    client.initialized(lsp.InitializedParams())
    times: dict[str, list[float]] = {"open": [], "edit": [], "actions": [], "hover, first": [], "hover": []}
    slowest: list[tuple[float, str]] = []
    for number, file in enumerate(files):
        where = await _opened(client, file, times)
        if not number:
            print(f"from the start to the first diagnostics: {1000 * (perf_counter() - began):.0f} ms")
        slowest.append((await _edited(client, where, file, times), str(file)))
        await _asked(client, where, times)
        client.text_document_did_close(lsp.DidCloseTextDocumentParams(where))
    for name, some in times.items():
        some.sort()
        p50, p95 = (1000 * some[min(len(some) - 1, int(len(some) * share))] for share in (0.5, 0.95))
        print(f"{name:<12} p50 {p50:6.0f} ms   p95 {p95:6.0f} ms   most {1000 * some[-1]:6.0f} ms   of {len(some)}")
    for seconds, name in sorted(slowest, reverse=True)[:5]:
        print(f"  {1000 * seconds:6.0f} ms {name}")
    await client.shutdown_async(None)
    client.exit(None)


async def _opened(client: LanguageClient, file: Path, times: dict[str, list[float]]) -> lsp.TextDocumentIdentifier:
    where = lsp.TextDocumentIdentifier(file.absolute().as_uri())
    item = lsp.TextDocumentItem(where.uri, "python", 1, file.read_text("utf-8", "replace"))
    began = perf_counter()
    client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
    await client.text_document_diagnostic_async(lsp.DocumentDiagnosticParams(where))
    times["open"].append(perf_counter() - began)
    return where


async def _edited(
    client: LanguageClient, where: lsp.TextDocumentIdentifier, file: Path, times: dict[str, list[float]]
) -> float:
    text = file.read_text("utf-8", "replace") + "\n# edited\n"
    change = lsp.TextDocumentContentChangeWholeDocument(text)
    began = perf_counter()
    client.text_document_did_change(
        lsp.DidChangeTextDocumentParams(lsp.VersionedTextDocumentIdentifier(2, where.uri), [change])
    )
    await client.text_document_diagnostic_async(lsp.DocumentDiagnosticParams(where))
    times["edit"].append(perf_counter() - began - DEBOUNCE)
    return times["edit"][-1]


async def _asked(client: LanguageClient, where: lsp.TextDocumentIdentifier, times: dict[str, list[float]]) -> None:
    at = lsp.Position(10, 0)
    began = perf_counter()
    asked = lsp.CodeActionParams(where, lsp.Range(at, at), lsp.CodeActionContext([]))
    await client.text_document_code_action_async(asked)
    times["actions"].append(perf_counter() - began)
    for name in ("hover, first", "hover"):
        began = perf_counter()
        await client.text_document_hover_async(lsp.HoverParams(where, at))
        times[name].append(perf_counter() - began)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--files", type=int, default=100, help="how many files, chosen at random")
    parser.add_argument("--command", default=str(Path(sys.executable).parent / "inplace-lint"))
    given = parser.parse_args()
    asyncio.run(measure(given.command, given.folders, given.files))


if __name__ == "__main__":
    main()
