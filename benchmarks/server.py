"""How long an editor waits for the language server: `python benchmarks/server.py FOLDER... [--files N]`.

Opens files of the folders one after the other, edits each (a comment at its end), and asks for diagnostics, actions and
hovers: a second after the file was opened or edited, and at once. The time of an edit is without the pause that the
server makes after each key; `edit, amid work` comes while the server finds out what a pointer may ask. Beside the time
on the clock stands that of the processors, of server and worker together. Other programs that keep these busy add up to
a half to that; a pause is longer by the time for which they kept the server from its work. Only times of compiled
builds tell anything: `--command PATH` names the `inplace-lint` to measure.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import random
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import clock_gettime, perf_counter

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

DEBOUNCE = 0.15
# After an edit, the server begins with what nobody has asked for yet.
UNASKED = 0.4
WORK = (
    *("open", "edit", "edit, amid work", "actions"),
    *("hover after opening", "hover after an edit", "hover at once", "hover again"),
    *("pause after opening", "pause after an edit"),
)


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

    def waited(self) -> float:
        """How long the server has waited for a processor so far."""
        threads = (thread for process in _family(self._server) for thread in Path(f"/proc/{process}/task").iterdir())
        return sum(int((thread / "schedstat").read_text().split()[1]) for thread in threads) / 1e9

    async def rest(self, pause: float) -> None:
        """A pause, and as much longer as other programs keep the server from working in it."""
        began, waited = perf_counter(), self.waited()
        while (left := pause - (perf_counter() - began) + self.waited() - waited) > 0:
            await asyncio.sleep(max(left, 0.01))

    def __str__(self) -> str:
        lines = [f"{'ms':<20}{'clock p50':>10}{'p95':>8}{'most':>8}{'CPU p50':>10}{'p95':>8}{'most':>8}"]
        for name in WORK:
            figures = [*_quantiles(self.clock[name]), *_quantiles(self.processors[name])]
            widths = (10, 8, 8) * 2
            told = (f"{each:>{width}.0f}" for each, width in zip(figures, widths, strict=True))
            lines.append(f"{name:<20}{''.join(told)}")
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


async def measure(command: str, folders: Sequence[Path], most: int, pause: float) -> None:
    """Measure and print."""
    files = sorted(file for folder in folders for file in folder.rglob("*.py"))
    files = random.Random(0).sample(files, min(most, len(files)))
    client = LanguageClient("benchmark", "0")
    began = perf_counter()
    await client.start_io(command, "server")
    roots = [lsp.WorkspaceFolder(folder.absolute().as_uri(), folder.name) for folder in folders]
    pulls = lsp.TextDocumentClientCapabilities(
        diagnostic=lsp.DiagnosticClientCapabilities(), hover=lsp.HoverClientCapabilities()
    )
    await client.initialize_async(
        lsp.InitializeParams(lsp.ClientCapabilities(text_document=pulls), workspace_folders=roots)
    )
    client.initialized(lsp.InitializedParams())
    assert client._server is not None
    times = Times(client._server.pid)
    slowest: list[tuple[float, str]] = []
    for number, file in enumerate(files):
        where = await _opened(client, file, times)
        text = file.read_text("utf-8", "replace")
        if not number:
            now = f"{1000 * (perf_counter() - began):.0f} ms, {1000 * times.busy():.0f} ms of the processors"
            print(f"from the start to the first diagnostics: {now}")
        await _asked_after_opening(client, where, text, times, pause)
        await _edited(client, where, text, times)
        slowest.append((times.processors["edit"][-1], str(file)))
        await _asked(client, where, text, times, pause)
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


async def _asked_after_opening(
    client: LanguageClient, where: lsp.TextDocumentIdentifier, text: str, times: Times, pause: float
) -> None:
    with times.of("pause after opening"):
        await times.rest(pause)
    await _pointed(client, where, text, times, "hover after opening")


async def _edited(
    client: LanguageClient, where: lsp.TextDocumentIdentifier, text: str, times: Times, name: str = "edit"
) -> None:
    with times.of(name, DEBOUNCE):
        _typed(client, where, text)
        await client.text_document_diagnostic_async(lsp.DocumentDiagnosticParams(where))


def _typed(client: LanguageClient, where: lsp.TextDocumentIdentifier, text: str) -> None:
    version = next(_versions)
    change = lsp.TextDocumentContentChangeWholeDocument(f"{text}\n# edited {version} times\n")
    client.text_document_did_change(
        lsp.DidChangeTextDocumentParams(lsp.VersionedTextDocumentIdentifier(version, where.uri), [change])
    )


_versions = itertools.count(2)


async def _pointed(
    client: LanguageClient, where: lsp.TextDocumentIdentifier, text: str, times: Times, name: str
) -> None:
    middle = lsp.Position(text.count("\n") // 2, 12)
    with times.of(name):
        await client.text_document_hover_async(lsp.HoverParams(where, middle))


async def _asked(
    client: LanguageClient, where: lsp.TextDocumentIdentifier, text: str, times: Times, pause: float
) -> None:
    at = lsp.Position(10, 0)
    asked = lsp.CodeActionParams(where, lsp.Range(at, at), lsp.CodeActionContext([]))
    with times.of("actions"):
        await client.text_document_code_action_async(asked)
    await _pointed(client, where, text, times, "hover at once")
    _typed(client, where, text)
    with times.of("pause after an edit"):
        await times.rest(pause)
    for name in ("hover after an edit", "hover again"):
        await _pointed(client, where, text, times, name)
    _typed(client, where, text)
    await asyncio.sleep(UNASKED)
    await _edited(client, where, text, times, "edit, amid work")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--files", type=int, default=100, help="how many files, chosen at random")
    parser.add_argument("--pause", type=float, default=1.0, help="seconds between an edit and a hover")
    parser.add_argument("--command", default=str(Path(sys.executable).parent / "inplace-lint"))
    given = parser.parse_args()
    asyncio.run(measure(given.command, given.folders, given.files, given.pause))


if __name__ == "__main__":
    main()
