"""How many decisions about reads of overwritten memory rest on each habit, and how many on it alone.

    python benchmarks/habits.py FOLDER...

A pair of a read and a write counts once for each path that shows it. It rests on a habit alone if, were the habit off,
it were reported and is not, or the other way round. The tables stand in `docs/habits.md`.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from pathlib import Path

from inplace_lint.effort import allowance
from inplace_lint.findings.finding import Finding
from inplace_lint.findings.rule import Rule
from inplace_lint.interpret.analysis.analyze import analyze
from inplace_lint.judgement.stale_reads import binding_at_write, verdict
from inplace_lint.pipeline.stack import on_deep_stack
from inplace_lint.project.reading import load
from inplace_lint.torch_model.events import Read, Trace
from inplace_lint.why.habits import habits, habits_of_reads


def main() -> None:
    """Read the command line, analyze, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    options = parser.parse_args()
    paths = sorted(str(path) for folder in options.folders for path in folder.rglob("*.py"))
    decided, alone = Counter[str](), Counter[str]()
    with ProcessPoolExecutor() as pool:
        for some, only in pool.map(_decisions, paths, chunksize=8):
            decided += some
            alone += only
    print("| habit | says | decisions | alone |\n|---|---|---:|---:|")
    for name, habit in habits_of_reads().items():
        print(f"| `{name}` | {habit.says} | {decided[name]:,} | {alone[name]:,} |")
    print("\n| habit | says |\n|---|---|")
    for name, habit in habits().items():
        if name not in habits_of_reads():
            print(f"| `{name}` | {habit.says} |")


def _decisions(path: str) -> tuple[Counter[str], Counter[str]]:
    """The decisions in one file, by habit."""
    text, decided, alone = load(path), Counter[str](), Counter[str]()

    def check(trace: Trace) -> Iterator[Finding]:
        _count(trace, decided, alone)
        yield from ()

    if text is not None:
        rule = Rule("IPL000", "habits", "counts decisions", check)
        with suppress(SyntaxError):
            on_deep_stack(lambda: analyze(text, path, [rule], load, effort=allowance(text)))
    return decided, alone


def _count(trace: Trace, decided: Counter[str], alone: Counter[str]) -> None:
    known = habits_of_reads()
    for read in trace.events:
        if not isinstance(read, Read) or read.operand.binding is None:
            continue
        storage = read.operand.tensor.storage
        for write in storage.latest(read.time):
            held = binding_at_write(read, write) if write.storage is storage else None
            if held is None or (reason := verdict(read, held, write, trace)).name not in known:
                continue
            decided[reason.name] += 1
            reason.on = False
            alone[reason.name] += (verdict(read, held, write, trace).kind is None) != (reason.kind is None)
            reason.on = True


if __name__ == "__main__":
    main()
