"""How time and memory grow on programs that are written to take long.

    python benchmarks/hostile.py [--only NAME ...] [--limit SECONDS] [--into FILE]

Prints Markdown: for each family of `hostile_programs.py` a row, with CPU seconds and megabytes at each size. A file
of less than 2,000 lines shall take 2 seconds at most, and 500 MB; each further 1,000 lines a second more. Nothing is
kept between runs.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from environments import own
from hostile_programs import FAMILIES, Family
from measure import CommandFailed, Measured, machine, measure

SECONDS, FREE_LINES, SECONDS_PER_LINE, MEGABYTES = 2.0, 2_000, 0.001, 500


def allowed(files: dict[str, str]) -> float:
    """The CPU seconds that a program may take: those of its files, one after the other."""
    lines = [text.count("\n") for text in files.values()]
    return sum(SECONDS + SECONDS_PER_LINE * max(0, count - FREE_LINES) for count in lines)


def cell(taken: Measured | None, files: dict[str, str]) -> str:
    """What one program took; in bold if that is too much."""
    if taken is None:
        return "**stopped**"
    shown = f"{taken.cpu:.1f} s, {taken.memory:.0f} MB"
    return f"**{shown}**" if taken.cpu > allowed(files) or taken.memory > MEGABYTES else shown


def run(lint: Sequence[str], files: dict[str, str], limit: int) -> Measured | None:
    """Check a program with one process; None if that takes longer than `limit` CPU seconds."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            Path(folder, name).write_text(text, "utf-8")
        bounded = ["prlimit", f"--cpu={limit}", f"--as={8 * 1024**3}", *lint]
        try:
            return measure([*bounded, "--isolated", "--no-cache", "--exit-zero", "-q", "-j", "1", folder])
        except CommandFailed:
            return None


def table(lint: Sequence[str], families: Sequence[Family], limit: int) -> Iterator[str]:
    """A row for each family."""
    yield "| family | " + " | ".join(["size"] * 3) + " |"
    yield "|---|" + "---|" * 3
    for family in families:
        cells = []
        for size in family.sizes:
            files = family.files(size)
            cells.append(f"{size:,}: {cell(run(lint, files, limit), files)}")
        yield f"| {family.name} | " + " | ".join(cells) + " |"


def main() -> None:
    """Read the command line, measure, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", help="families to measure")
    parser.add_argument("--limit", type=int, default=60, help="CPU seconds after which a program is stopped")
    parser.add_argument("--command", nargs="+", help="inplace-lint, if it is installed already")
    parser.add_argument("--into", type=Path, help="write the results there, too")
    options = parser.parse_args()
    families = [family for family in FAMILIES if not options.only or family.name in options.only]
    head = f"# Hostile programs\n\n{machine()}. In bold: more than is allowed.\n"
    with tempfile.TemporaryDirectory() as made:
        lint = options.command or [own(Path(made))]
        rows = [head]
        print(head)
        for row in table(lint, families, options.limit):
            print(row, flush=True)
            rows.append(row)
    if options.into is not None:
        options.into.write_text("\n".join(rows) + "\n", "utf-8")


if __name__ == "__main__":
    main()
