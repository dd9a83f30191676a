"""How long inplace-lint takes to start, and how its cost grows with the program.

    python benchmarks/growth.py [--runs N] [--into FILE]

Prints Markdown. Nothing is kept between runs.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

from environments import own
from measure import Measured, machine, measure, medians

HEAD = "import torch\n\n\n"
PLAIN = "def g{n}(x, y):\n    z = torch.relu(x)\n    z = z + y\n    return z * 2\n\n\n"
WRITES = "def f{n}(x, y):\n    z = torch.relu(x)\n    z.add_(y)\n    return z * 2\n\n\n"


def functions(function: str, lines: int) -> str:
    """A file of about so many lines, made of one small function over and over, under new names."""
    return HEAD + "".join(function.format(n=n) for n in range(lines // function.count("\n")))


def programs() -> Iterator[tuple[str, list[str]]]:
    """Programs of growing size, by what grows: the texts of their files."""
    yield "one small file", [HEAD + "x = 1\n"]
    yield "one small file with a finding", [HEAD + "def f(x):\n    return x * torch.sigmoid_(x)\n"]
    for lines in (10_000, 50_000):  # more is not read
        yield f"{lines:,} lines without a write, in one file", [functions(PLAIN, lines)]
    for lines in (10_000, 100_000, 1_000_000):
        texts = [f"# {n}\n" + functions(PLAIN, 1_000) for n in range(lines // 1_000)]  # no two the same
        yield f"{lines:,} lines without a write, in files of 1,000", texts
    for lines in (1_000, 10_000):
        yield f"{lines:,} lines of small functions that write, in one file", [functions(WRITES, lines)]
    for size in (10, 100, 1_000, 10_000):
        yield f"a function of {size:,} statements", [HEAD + "def f(x):\n" + "    x.add_(1)\n" * size]
    for depth in (10, 100, 1_000):
        calls = "".join(f"def f{n}(x):\n    return f{n + 1}(x.add_(1))\n" for n in range(depth))
        yield f"calls {depth:,} deep", [HEAD + calls + f"def f{depth}(x):\n    return x\n"]
    for branches in (10, 100, 1_000):
        yield f"{branches:,} branches", [HEAD + "def f(x):\n" + "    if x.a():\n        x.add_(1)\n" * branches]


def table(made: str, runs: int) -> Iterator[str]:
    """A row for each program; `made` is an empty folder to install inplace-lint in."""
    lint = [own(Path(made))]
    yield "| | CPU s | wall s | MB |"
    yield "|---|---:|---:|---:|"
    yield row("`--version`", medians([measure([*lint, "--version"]) for _ in range(runs)]))
    for name, texts in programs():
        with tempfile.TemporaryDirectory() as folder:
            for number, text in enumerate(texts):
                Path(folder, f"grown_{number}.py").write_text(text, "utf-8")
            command = [*lint, "--isolated", "--no-cache", "--exit-zero", "-q", folder]
            yield row(name, medians([measure(command) for _ in range(runs)]))


def row(name: str, taken: Measured) -> str:
    """A row of the table."""
    return f"| {name} | {taken.cpu:.2f} | {taken.wall:.2f} | {taken.memory:.0f} |"


def main() -> None:
    """Read the command line, measure, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--into", type=Path, help="write the results there, too")
    options = parser.parse_args()
    head = f"# Start-up, and growth\n\n{machine()}; medians of {options.runs} runs. MB: of the largest process.\n"
    with tempfile.TemporaryDirectory() as made:
        text = "\n".join([head, *table(made, options.runs)]) + "\n"
    print(text)
    if options.into is not None:
        options.into.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
