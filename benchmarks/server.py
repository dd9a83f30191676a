"""How long an editor waits for the language server: `python benchmarks/server.py FOLDER... [--files N]`.

Opens files of the folders one after the other, edits each (a comment at its end) and asks for diagnostics, actions and
hovers, of which the first has to be waited for. The time of an edit is without the pause that the server makes after
each key. Beside the time on the clock stands that of the processors, of server and worker together, which other
programs do not change much. Only times of compiled builds tell anything: `--command PATH` names the `inplace-lint` to
measure.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import clock_gettime, perf_counter

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

DEBOUNCE = 0.15
WORK = ("open", "edit", "actions", "hover, first", "hover")


class Times:
    """Seconds by kind of work, on the clock and of the processors.

    Args:
        server: the process whose work, and that of its children, is measured.
    """

    def __init__(self, server: int) -> None:
        self.clock: dict[str, list[float]] = {name: [] for name in WORK}
        self.processors: dict[str, list[float]] = {name: [] for name in WORK}
        self._server = server

    @contextmanager
    def of(self, name: str, pause: float = 0.0) -> Iterator[None]:
        """Measure what is done, without a pause."""
        busy, began = self.busy(), perf_counter()
        yield
        self.clock[name].append(perf_counter() - began - pause)
        self.processors[name].append(self.busy() - busy)

    def busy(self) -> float:
        """How long the processors have worked for the server so far."""
        return sum(clock_gettime((~process << 3) | 2) for process in _family(self._server))

    def __str__(self) -> str:
        lines = [f"{'ms':<14}{'clock p50':>10}{'p95':>8}{'most':>8}{'CPU p50':>10}{'p95':>8}{'most':>8}"]
        for name in WORK:
            figures = [*_quantiles(self.clock[name]), *_quantiles(self.processors[name])]
            widths = (10, 8, 8) * 2
            told = (f"{each:>{width}.0f}" for each, width in zip(figures, widths, strict=True))
            lines.append(f"{name:<14}{''.join(told)}")
        return "\n".join(lines)


def _quantiles(some: list[float]) -> list[float]:
    ordered = sorted(some)
    return [1000 * ordered[min(len(ordered) - 1, int(len(ordered) * share))] for share in (0.5, 0.95, 1.0)]


def _family(process: int) -> Iterator[int]:
    yield process
    for thread in Path(f"/proc/{process}/task").iterdir():
        with suppress(FileNotFoundError):  # a thread that has ended
            for child in (thread / "children").read_text().split():
                yield from _family(int(child))


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
    assert client._server is not None
    times = Times(client._server.pid)
    slowest: list[tuple[float, str]] = []
    for number, file in enumerate(files):
        where = await _opened(client, file, times)
        if not number:
            now = f"{1000 * (perf_counter() - began):.0f} ms, {1000 * times.busy():.0f} ms of the processors"
            print(f"from the start to the first diagnostics: {now}")
        await _edited(client, where, file, times)
        slowest.append((times.processors["edit"][-1], str(file)))
        await _asked(client, where, times)
        client.text_document_did_close(lsp.DidCloseTextDocumentParams(where))
    print(times)
    for seconds, name in sorted(slowest, reverse=True)[:5]:
        print(f"  {1000 * seconds:6.0f} ms {name}")
    await client.shutdown_async(None)
    client.exit(None)


async def _opened(client: LanguageClient, file: Path, times: Times) -> lsp.TextDocumentIdentifier:
    where = lsp.TextDocumentIdentifier(file.absolute().as_uri())
    item = lsp.TextDocumentItem(where.uri, "python", 1, file.read_text("utf-8", "replace"))
    with times.of("open"):
        client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        await client.text_document_diagnostic_async(lsp.DocumentDiagnosticParams(where))
    return where


async def _edited(client: LanguageClient, where: lsp.TextDocumentIdentifier, file: Path, times: Times) -> None:
    text = file.read_text("utf-8", "replace") + "\n# edited\n"
    change = lsp.TextDocumentContentChangeWholeDocument(text)
    with times.of("edit", DEBOUNCE):
        client.text_document_did_change(
            lsp.DidChangeTextDocumentParams(lsp.VersionedTextDocumentIdentifier(2, where.uri), [change])
        )
        await client.text_document_diagnostic_async(lsp.DocumentDiagnosticParams(where))


async def _asked(client: LanguageClient, where: lsp.TextDocumentIdentifier, times: Times) -> None:
    at = lsp.Position(10, 0)
    asked = lsp.CodeActionParams(where, lsp.Range(at, at), lsp.CodeActionContext([]))
    with times.of("actions"):
        await client.text_document_code_action_async(asked)
    for name in ("hover, first", "hover"):
        with times.of(name):
            await client.text_document_hover_async(lsp.HoverParams(where, at))


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
