"""What is found in cases, examples, rule documents and released libraries, as one file; and what a change does to it.

    python benchmarks/snapshot.py [--packages FOLDER] [--effort FILE] [--command COMMAND...]

Downloads the libraries of `snapshot/packages.txt` into FOLDER, once; checks all, prints each line that is new (`+`) or
gone (`-`) since `snapshot/findings.txt` was written, and writes that file anew. A line is a finding, with its severity
and the kind of its fix. With `--effort`, what each file took, in the units of `inplace_lint/effort.py`, is compared
with FILE, and kept there: equal figures show that an interpreter that was changed takes every step as before.
Without `--packages`, only what lies in this repository is checked, and nothing is written.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from inplace_lint.effort import allowance
from inplace_lint.findings.registry import registry
from inplace_lint.interpret.analysis.analyze import analyze
from inplace_lint.pipeline.stack import on_deep_stack
from inplace_lint.project.reading import load

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = Path(__file__).parent / "snapshot" / "packages.txt"
FINDINGS = Path(__file__).parent / "snapshot" / "findings.txt"
OWN = "inplace-lint"


def main() -> None:
    """Read the command line, check everything, and show what has changed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", type=Path, help="where the libraries are, or are downloaded to")
    parser.add_argument("--effort", type=Path, metavar="FILE", help="where it stands what each file took")
    parser.add_argument("--command", nargs="+", default=["inplace-lint"])
    options = parser.parse_args()
    known = FINDINGS.read_text("utf-8").splitlines() if FINDINGS.exists() else []
    with tempfile.TemporaryDirectory() as made:
        own = Path(made, OWN)
        copy_programs(own)
        folders = [own]
        if options.packages is None:
            known = [line for line in known if line.startswith(OWN)]
        else:
            folders += [_unpacked(name, options.packages) for name in PACKAGES.read_text("utf-8").split()]
        found = sorted(line for folder in folders for line in _findings(options.command, folder))
        _show(known, found)
        if options.effort is not None:
            _compare_effort(folders, options.effort)
    if options.packages is not None:
        FINDINGS.write_text("".join(f"{line}\n" for line in found), "utf-8")


def copy_programs(into: Path) -> None:
    """The programs of this repository: cases, examples, and those in the documents of rules."""
    for name in ("tests/cases", "examples"):
        shutil.copytree(ROOT / name, into / name, ignore=shutil.ignore_patterns("__pycache__"))
    rules = into / "rules"
    rules.mkdir()
    for path in sorted((ROOT / "rules").glob("ipl*.py")):
        blocks = re.findall(
            r"^```python\n(.*?)^```$", ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "", re.M | re.S
        )
        for number, block in enumerate(blocks):
            (rules / f"{path.stem}_{number}.py").write_text(block, "utf-8")


def _unpacked(requirement: str, folder: Path) -> Path:
    """The sources of a release, downloaded if they are not there."""
    name = requirement.replace("==", "-")
    place = folder / name
    if not place.exists():
        with tempfile.TemporaryDirectory(dir=folder.parent) as made:
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", made, requirement]
            subprocess.run(command, check=True)
            (archive,) = Path(made).iterdir()
            zipped = "zip" if archive.suffix == ".whl" else None
            shutil.unpack_archive(archive, place, zipped, **({} if zipped else {"filter": "data"}))
    return place


def _findings(command: Sequence[str], folder: Path) -> Iterator[str]:
    """A line for each finding in a folder."""
    arguments = [
        "--isolated",
        "--python",
        "none",
        "--no-cache",
        "--no-respect-gitignore",
        "--select",
        "ALL",
        "--output-format",
        "json",
    ]
    run = subprocess.run([*command, *arguments, "--exit-zero", "."], cwd=folder, capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(run.stdout + run.stderr)
    print(f"{folder.name}: {run.stderr.strip()}", file=sys.stderr, flush=True)
    for each in json.loads(run.stdout):
        name = Path(each["filename"]).relative_to(folder.resolve())
        where = f"{folder.name}/{name}:{each['location']['row']}:{each['location']['column']}"
        fix = each["fix"]["applicability"] if each["fix"] else "no"
        yield f"{where} {each['code']} {each['severity']}, {fix} fix"


def _show(known: Sequence[str], found: Sequence[str]) -> None:
    changes = [line for line in difflib.ndiff(known, found) if line[0] in "+-"]
    print(*changes, sep="\n")
    print(f"{len(found)} lines, {len(changes)} of the difference")


def _compare_effort(folders: Iterable[Path], place: Path) -> None:
    """Show the files that took clearly more or less than when this was last asked.

    A few units depend on the order of sets.
    """
    lines = place.read_text("utf-8").splitlines() if place.exists() else []
    known = {name: int(units) for name, units in (line.rsplit(" ", 1) for line in lines)}
    paths = [
        (str(path), f"{folder.name}/{path.relative_to(folder)}")
        for folder in folders
        for path in sorted(folder.rglob("*.py"))
    ]
    with ProcessPoolExecutor() as pool:
        units = pool.map(_effort, [path for path, _ in paths], chunksize=8)
        taken = {name: each for (_, name), each in zip(paths, units, strict=True)}
    place.write_text("".join(f"{name} {units}\n" for name, units in taken.items()), "utf-8")
    for name in sorted(taken.keys() | known.keys()):
        before, now = known.get(name, 0), taken.get(name, 0)
        if abs(now - before) > max(now, before) // 100:
            print(f"{name}: {before} units before, {now} now")


def _effort(path: str) -> int:
    """The units that it takes to analyze a file."""
    text = load(path)
    if text is None:
        return 0
    effort, rules = allowance(text), [entry.rule for entry in registry().values()]
    before = effort.left
    try:
        on_deep_stack(lambda: analyze(text, path, rules, load, effort=effort))
    except SyntaxError:
        return 0
    return before - effort.left


if __name__ == "__main__":
    main()
