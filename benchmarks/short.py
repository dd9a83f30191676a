"""The ratios of `compare.py --short`: one run of each tool on a part of PyTorch, and no figures to report."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path

from environments import peer
from measure import Measured, measure

# TorchFix sees one file in so many, and an empty one to know what it takes to start.
EVERY = 8

OWN, PARSE, PARSE_ALL = "inplace-lint, cold", "`ast.parse`", "`ast.parse`, all processors"
FLAKE, TORCHFIX = "flake8", f"TorchFix's flake8 plug-in (one file in {EVERY}, scaled)"


def ratios(fetched: Path) -> Iterator[str]:
    """One table, row by row."""
    if (tree := _tree()) is None:
        yield "Needs PyTorch, whose Python files are what is linted: `pip install torch==2.13.0`."
        return
    files = sorted(tree.rglob("*.py"))
    lines = sum(map(_lines, files))
    yield f"torch/nn/{tree.name}: {len(files)} files, {lines:,} lines; one run each, cold; {_kind()}.\n"
    yield "| | wall | CPU | wall, seconds |"
    yield "|---|---:|---:|---:|"
    lint = Path(sys.executable).with_name("inplace-lint")
    own = measure([str(lint), "--isolated", "--exit-zero", "-q", "--no-cache", str(tree)])
    for name, run in _floors(tree).items():
        yield _row((OWN, own), (name, run()))
    for name, run in _peers(tree, files, fetched).items():
        try:
            yield _row((name, run()), (OWN, own))
        except (subprocess.CalledProcessError, OSError) as error:
            yield f"| {name} could not be installed ({type(error).__name__}) | | | |"


def _row(over: tuple[str, Measured], under: tuple[str, Measured]) -> str:
    (name, more), (other, less) = over, under
    times = f"{more.wall / less.wall:.2f} | {more.cpu / less.cpu:.2f}"
    return f"| {name} ÷ {other} | {times} | {more.wall:.2f} ÷ {less.wall:.2f} |"


def _floors(tree: Path) -> dict[str, Callable[[], Measured]]:
    floors = [sys.executable, str(Path(__file__).with_name("floors.py"))]
    return {
        PARSE: lambda: measure([*floors, "parse", str(tree)]),
        PARSE_ALL: lambda: measure([*floors, "parse-all", str(tree)]),
    }


def _peers(tree: Path, files: list[Path], fetched: Path) -> dict[str, Callable[[], Measured]]:
    return {
        FLAKE: lambda: measure([*_flake8("flake8", fetched), str(tree)]),
        TORCHFIX: lambda: _sampled([*_flake8("torchfix", fetched), "--select=TOR"], files, fetched),
    }


def _flake8(peers: str, fetched: Path) -> list[str]:
    return [peer(peers, fetched), "-I", "-m", "flake8", "--isolated", "--exit-zero"]


def _sampled(command: list[str], files: list[Path], fetched: Path) -> Measured:
    """What a slow tool would take: that beyond its start is scaled by lines."""
    empty = fetched / "empty.py"
    empty.touch()
    seen = files[::EVERY]
    share = sum(map(_lines, seen)) / sum(map(_lines, files))
    measure([*command, str(empty)])  # compiles what was just installed
    start, taken = measure([*command, str(empty)]), measure([*command, *map(str, seen)])
    cpu, wall = (before + (after - before) / share for before, after in zip(start[:2], taken[:2], strict=True))
    return Measured(cpu, wall, taken.memory)


def _tree() -> Path | None:
    """The layers of the installed PyTorch, which is not imported."""
    found = find_spec("torch")
    return Path(found.origin).parent / "nn" / "modules" if found is not None and found.origin else None


def _kind() -> str:
    found = find_spec("inplace_lint.effort")
    compiled = found is not None and (found.origin or "").endswith(tuple(EXTENSION_SUFFIXES))
    return f"inplace-lint as it is installed here, {'' if compiled else 'not '}compiled"


def _lines(file: Path) -> int:
    return file.read_bytes().count(b"\n")
