"""Checks hostile, random and real programs, and tells where inplace-lint fails.

    python benchmarks/fuzz.py [--seed N] [--count N] [--kinds KIND...] [--folder FOLDER...] [--into FOLDER]

An input fails if it crashes the analysis (IPL903, or an exception that gets out), takes longer than `--limit` seconds
of processor time or lifts memory above `--memory` megabytes, has findings or edits outside of its text, has a fix
that alone makes it no Python, or is printed with a character that a terminal would obey; a program that PyTorch
can run, also if the verdicts of the abstract PyTorch and of the real one differ. Inputs are made of seed and number
alone. Each cause is written to `--into` once, with the lines that it does not need taken away.
`pip install hypothesmith` for more kinds of programs.
"""

from __future__ import annotations

import argparse
import multiprocessing
import re
import resource
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from fuzz_inputs import Corpus, corpus, is_python, kinds, make
from measure import machine

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.fixes.edit import edited
from inplace_lint.pipeline.lint_file import lint_bytes
from inplace_lint.project.config import Config
from inplace_lint.report import Report, render
from inplace_lint.report.escaping import visible
from inplace_lint.source.place import Span

# A worker that gives no answer for so many times the limit hangs, even on a busy machine.
PATIENCE = 6
# How long the lines of one failure are looked through, in seconds.
SHORTENING = 60

_FORMATS = ("full", "concise", "github", "sarif", "junit")


@dataclass(frozen=True)
class Limits:
    """What one input may take: seconds of processor time, and megabytes."""

    seconds: float
    megabytes: float


@dataclass(frozen=True)
class Told:
    """What came of one input; `cause` is empty if all is well."""

    cause: str
    detail: str = ""
    parses: bool = False
    findings: int = 0
    fixes: int = 0
    seconds: float = 0.0
    megabytes: float = 0.0


def checked(text: str, kind: str, limits: Limits) -> Told:
    """Check one input in this process."""
    before, began = _peak(), time.process_time()
    path = "program.ipynb" if kind == "notebook" else "program.py"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = lint_bytes(text.encode("utf-8", "surrogatepass"), path, Config(extend_select=("ALL",)))
        spent, peak = time.process_time() - began, _peak()
        parses = kind != "notebook" and is_python(text)
        cause, detail = next(_wrong(text, kind, path, found, parses), ("", ""))
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        cause = f"escaped: {type(error).__name__} at {Path(last.filename).name} in {last.name}"
        return Told(cause, traceback.format_exc())
    if not cause and spent > limits.seconds:
        cause, detail = "slow", f"{spent:.1f} s"
    if not cause and peak > max(before, limits.megabytes):
        cause, detail = "memory", f"{peak:.0f} MB"
    fixes = sum(each.fix is not None for each in found)
    findings = sum(not each.code.startswith("IPL9") for each in found)
    return Told(cause, detail, parses, findings, fixes, spent, peak if peak > before else 0.0)


def _wrong(text: str, kind: str, path: str, found: Sequence[Diagnostic], parses: bool) -> Iterator[tuple[str, str]]:
    """What is wrong with the findings in a text: a cause, and the details."""
    for each in found:
        if each.code == "IPL903":
            yield _crash(each), f"{each.message}\n{each.help}"
    if kind != "notebook":
        lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for each in found:
            spans = [(each.site.path, each.site.span), *((r.site.path, r.site.span) for r in each.related)]
            spans += [(path, edit.span) for edit in (each.fix.edits if each.fix else ())]
            if outside := [span for where, span in spans if where == path and not _is_inside(span, lines)]:
                yield f"outside of the text: {each.code}", str(outside)
            if parses and each.fix and not is_python(edited("\n".join(lines), each.fix.edits)):
                yield f"no Python after the fix of {each.code}", f"{each.site.span} {each.fix}"
    report = Report(found, lambda _: text.split("\n"), cell_lines=lambda *_: text.split("\n"))
    for format in _FORMATS:
        if obeyed := [char for char in render(report, format) if char != "\n" and visible(char) != char]:
            yield f"printed raw in {format}", ascii(obeyed)
    if kind == "programs":
        yield from _disagrees(text)


def _crash(found: Diagnostic) -> str:
    """The kind of a crash: its exception, and the innermost place in our own code."""
    reason = found.message.partition("nothing about it: ")[2].partition(":")[0]
    frames = (found.help or "").rpartition("it happened at ")[2].split(" < ")
    ours = next((frame for frame in frames if not Path(frame).is_absolute()), "?")
    return f"crash: {reason} at {ours}"


def _disagrees(text: str) -> Iterator[tuple[str, str]]:
    from test_differential import compare

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compare(text, straight=False)
    except AssertionError as error:
        yield "disagrees with PyTorch", str(error).partition("\n")[0]


def _is_inside(span: Span, lines: Sequence[str]) -> bool:
    if not 1 <= span.row <= span.end_row <= len(lines):
        return False
    ordered = (span.row, span.column) <= (span.end_row, span.end_column)
    return (
        ordered
        and span.column >= 1
        and all(
            column <= len(lines[row - 1]) + 2
            for row, column in ((span.row, span.column), (span.end_row, span.end_column))
        )
    )


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform == "linux" else 1024**2)


def _serve(connection: Connection, limits: Limits, files: Corpus, seed: int) -> None:
    """A worker: makes and checks what it is asked for, or checks a text that it is given."""
    # Beyond any doubt too much: of address space, so that the machine is spared.
    resource.setrlimit(resource.RLIMIT_AS, (24 * 2**30, resource.RLIM_INFINITY))
    while (asked := connection.recv()) is not None:
        kind, given = asked
        text = given if isinstance(given, str) else make(kind, seed, given, files)
        connection.send(text)
        connection.send(checked(text, kind, limits))


class Worker:
    """A process that checks one input after another; it is replaced if it dies or hangs."""

    def __init__(self, limits: Limits, files: Corpus, seed: int) -> None:
        self._arguments = (limits, files, seed)
        self.asked: tuple[str, int | str] = ("", 0)
        self.text: str | None = None
        self._start()

    def _start(self) -> None:
        self.connection, other = multiprocessing.Pipe()
        self._process = multiprocessing.get_context("spawn").Process(target=_serve, args=(other, *self._arguments))
        self._process.start()
        other.close()

    def ask(self, kind: str, given: int | str) -> None:
        """Begin with an input: its number, or its text."""
        self.asked, self.text, self.began = (kind, given), None, time.monotonic()
        self.connection.send(self.asked)

    def answer(self) -> Told | None:
        """What came of it; None while it goes on."""
        try:
            while self.connection.poll():
                got = self.connection.recv()
                if isinstance(got, Told):
                    if got.cause == "memory":
                        self._replace()  # the peak of a process never falls
                    return got
                self.text, self.began = got, time.monotonic()
        except (EOFError, ConnectionError):
            self._replace()
            return Told("died")
        limit = PATIENCE * self._arguments[0].seconds * (1 if self.text is not None else 10)
        if time.monotonic() - self.began > limit:
            self._replace()
            return Told("hangs" if self.text is not None else "hangs while the input is made")
        return None

    def _replace(self) -> None:
        self.end()
        self._start()

    def end(self) -> None:
        """End the process at once."""
        self._process.kill()
        self._process.join()
        self.connection.close()


@dataclass
class Tally:
    """What came of the inputs of one kind."""

    told: list[Told] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)
    slowest: tuple[float, int] = (0.0, 0)
    largest: float = 0.0


@dataclass(frozen=True)
class Failure:
    """The first input that fails for a cause."""

    cause: str
    kind: str
    number: int
    text: str
    detail: str


def fuzz(count: int, chosen: Sequence[str], workers: Sequence[Worker]) -> tuple[dict[str, Tally], dict[str, Failure]]:
    """Check so many inputs, of each kind in turn."""
    tallies = {kind: Tally() for kind in chosen}
    failures: dict[str, Failure] = {}
    todo = iter([(chosen[number % len(chosen)], number // len(chosen)) for number in range(count)])
    busy = [worker for worker in workers if _next(worker, todo)]
    done = 0
    while busy:
        wait([worker.connection for worker in busy], timeout=1)
        for worker in list(busy):
            told = worker.answer()
            if told is None:
                continue
            kind, number = worker.asked
            assert isinstance(number, int)
            _note(tallies[kind], told, number)
            if told.cause and _same(told.cause) not in failures:
                failures[_same(told.cause)] = Failure(told.cause, kind, number, worker.text or "", told.detail)
                print(f"{kind} {number}: {told.cause}", file=sys.stderr, flush=True)
            done += 1
            if done % 1000 == 0:
                print(f"{done} inputs", file=sys.stderr, flush=True)
            if not _next(worker, todo):
                busy.remove(worker)
    return tallies, failures


def _next(worker: Worker, todo: Iterator[tuple[str, int]]) -> bool:
    following = next(todo, None)
    if following is not None:
        worker.ask(*following)
    return following is not None


def _note(tally: Tally, told: Told, number: int) -> None:
    tally.told.append(told)
    if told.cause:
        tally.failures[_same(told.cause)] += 1
    tally.slowest = max(tally.slowest, (told.seconds, number))
    tally.largest = max(tally.largest, told.megabytes)


def _same(cause: str) -> str:
    """The cause without what differs from one commit to the next."""
    return re.sub(r":\d+ in ", " in ", cause)


def shortened(failure: Failure, worker: Worker) -> str:
    """The text of a failure without lines that it does not need, as far as time allows."""
    lines, end = failure.text.split("\n"), time.monotonic() + SHORTENING
    size = len(lines) // 2
    while size and failure.kind != "notebook":
        at = 0
        while at < len(lines) and time.monotonic() < end:
            fewer = lines[:at] + lines[at + size :]
            if _same(_answer(worker, failure.kind, "\n".join(fewer)).cause) == _same(failure.cause):
                lines = fewer
            else:
                at += size
        size //= 2
    return "\n".join(lines)


def _answer(worker: Worker, kind: str, text: str) -> Told:
    worker.ask(kind, text)
    while (told := worker.answer()) is None:
        wait([worker.connection], timeout=1)
    return told


def table(tallies: dict[str, Tally]) -> str:
    """The counts as Markdown."""
    rows = ["| | inputs | parse | findings | fixes | failures | slowest, CPU s | MB |", "|---|" + "---:|" * 7]
    for kind, tally in tallies.items():
        figures = (
            len(tally.told),
            sum(told.parses for told in tally.told),
            sum(told.findings for told in tally.told),
            sum(told.fixes for told in tally.told),
            tally.failures.total(),
        )
        listed = " | ".join(f"{figure:,}" for figure in figures)
        slowest, number = tally.slowest
        rows.append(f"| {kind} | {listed} | {slowest:.1f} (number {number}) | {tally.largest:.0f} |")
    return "\n".join(rows)


def main() -> None:
    """Read the command line, check, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000, help="inputs in all")
    parser.add_argument("--kinds", nargs="*", choices=kinds(), default=kinds())
    parser.add_argument("--workers", type=int, choices=(1, 2), default=1, help="processes")
    parser.add_argument("--limit", type=float, default=10, help="seconds of processor time for one input")
    parser.add_argument("--memory", type=float, default=1000, help="megabytes")
    parser.add_argument("--folder", type=Path, nargs="*", default=[], help="more code to mutate")
    parser.add_argument("--into", type=Path, default=Path(tempfile.gettempdir(), "inplace-lint-fuzz"))
    options = parser.parse_args()
    limits, files = Limits(options.limit, options.memory), corpus(options.folder)
    workers = [Worker(limits, files, options.seed) for _ in range(options.workers)]
    try:
        tallies, failures = fuzz(options.count, options.kinds, workers)
        print(f"{machine()}; seed {options.seed}\n\n{table(tallies)}")
        for same, failure in failures.items():
            options.into.mkdir(parents=True, exist_ok=True)
            name = f"{options.seed}-{failure.kind}-{failure.number}.{'ipynb' if failure.kind == 'notebook' else 'py'}"
            text = shortened(failure, workers[0])
            (options.into / name).write_text(text, "utf-8", errors="surrogatepass")
            times = sum(tally.failures[same] for tally in tallies.values())
            print(f"\n{times} x {failure.cause}: {options.into / name}\n{failure.detail}".rstrip())
    finally:
        for worker in workers:
            worker.end()
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
