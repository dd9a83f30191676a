"""Random edits of a package: is what the cache gives after each what a run without it gives?

    python benchmarks/edits.py PACKAGE [--edits N] [--seed N]

The package is copied. Prints each edit after which the two differ, and how many files were checked again on average.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from inplace_lint import Config, Result, lint_paths
from inplace_lint.pipeline import lint_paths as pipeline

_DEFINES = re.compile(r"^( *)def (\w+)\(", re.MULTILINE)
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")
_OP = re.compile(r"\.(add|mul|clamp|relu|sigmoid|div|sub|masked_fill|exp)\(")
_OP_IN_PLACE = re.compile(r"\.(add|mul|clamp|relu|sigmoid|div|sub|masked_fill|exp)_\(")

Edit = Callable[[str, random.Random], str]


def comment(text: str, chance: random.Random) -> str:
    """Put a comment on a line of its own somewhere."""
    lines = text.split("\n")
    lines.insert(chance.randrange(len(lines)), "# a remark")
    return "\n".join(lines)


def blank(text: str, chance: random.Random) -> str:
    """Put a blank line somewhere."""
    lines = text.split("\n")
    lines.insert(chance.randrange(len(lines)), "")
    return "\n".join(lines)


def number(text: str, chance: random.Random) -> str:
    """Change a number."""
    return _one(text, _NUMBER, lambda found: found[0] + "1", chance)


def in_place(text: str, chance: random.Random) -> str:
    """Do an op in place."""
    return _one(text, _OP, lambda found: f".{found[1]}_(", chance)


def out_of_place(text: str, chance: random.Random) -> str:
    """Do an op out of place."""
    return _one(text, _OP_IN_PLACE, lambda found: f".{found[1]}(", chance)


def rename(text: str, chance: random.Random) -> str:
    """Rename a function where it is defined."""
    return _one(text, _DEFINES, lambda found: f"{found[1]}def {found[2]}_renamed(", chance)


def write(text: str, chance: random.Random) -> str:
    """Let a function begin with a write to its last parameter."""
    functions = list(re.finditer(r"^( *)def \w+\(([^()\n]+)\):\n", text, re.MULTILINE))
    if not functions:
        return text
    found = chance.choice(functions)
    name = re.split(r"[:=]", found[2].split(",")[-1])[0].strip(" *")
    return f"{text[: found.end()]}{found[1]}    {name}.mul_(2)\n{text[found.end() :]}"


def drop(text: str, chance: random.Random) -> str:
    """Delete a line."""
    lines = text.split("\n")
    del lines[chance.randrange(len(lines))]
    return "\n".join(lines)


def double(text: str, chance: random.Random) -> str:
    """Say a line twice."""
    lines = text.split("\n")
    place = chance.randrange(len(lines))
    lines.insert(place, lines[place])
    return "\n".join(lines)


EDITS: tuple[Edit, ...] = (comment, blank, number, in_place, out_of_place, rename, write, drop, double)


def _one(text: str, pattern: re.Pattern[str], to: Callable[[re.Match[str]], str], chance: random.Random) -> str:
    found = list(pattern.finditer(text))
    if not found:
        return text
    chosen = chance.choice(found)
    return text[: chosen.start()] + to(chosen) + text[chosen.end() :]


def edit(folder: Path, chance: random.Random) -> str:
    """Make one random edit; say what it was."""
    files = sorted(folder.rglob("*.py"))
    path = chance.choice(files)
    place, draw = path.relative_to(folder), chance.random()
    if draw < 0.04:
        target = path.with_name(f"moved_{chance.randrange(1000)}.py")
        path.rename(target)
        return f"move {place} to {target.name}"
    if draw < 0.08:
        target = path.with_name(f"copy_{chance.randrange(1000)}.py")
        shutil.copy(path, target)
        return f"copy {place} to {target.name}"
    if draw < 0.1:
        path.unlink()
        return f"delete {place}"
    if draw < 0.18:
        other = chance.choice(files)
        return f"hand {hand_over(path, other, chance)} of {place} over to {other.relative_to(folder)}"
    text = path.read_text("utf-8")
    how = chance.choice(EDITS)
    path.write_text(how(text, chance), "utf-8")
    return f"{how.__name__} in {place}"


_TOP = re.compile(r"^(?:@.*\n)*(?:async )?(?:def|class) (\w+).*\n(?:(?:[ \t#)].*)?\n)+", re.MULTILINE)


def hand_over(path: Path, other: Path, chance: random.Random) -> str:
    """Move a function or class of a file to the end of another one, perhaps imported from there since."""
    text = path.read_text("utf-8")
    all_found = list(_TOP.finditer(text))
    if not all_found or other == path:
        return ""
    found, imports = chance.choice(all_found), chance.random() < 0.5
    moved = f"from .{other.stem} import {found[1]}\n" if imports else ""
    path.write_text(text[: found.start()] + moved + text[found.end() :], "utf-8")
    other.write_text(other.read_text("utf-8") + f"\n\n{found[0]}", "utf-8")
    return found[1]


def told(result: Result) -> tuple[object, ...]:
    """What a run tells, but for how long it took."""
    return result.diagnostics, result.files, result.given_up, sorted(result.coverage.items())


@contextmanager
def counted() -> Iterator[list[int]]:
    """How many files each run checks."""
    counts: list[int] = []
    work = pipeline._work

    def counting(todo, *rest):  # type: ignore[no-untyped-def]
        counts.append(len(todo))
        return work(todo, *rest)

    pipeline._work = counting
    try:
        yield counts
    finally:
        pipeline._work = work


def main() -> None:
    """Edit the package, and compare after each edit."""
    parser = argparse.ArgumentParser()
    parser.add_argument("package", type=Path)
    parser.add_argument("--edits", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as where, counted() as counts:
        folder, cache = Path(where) / options.package.name, str(Path(where) / "cache")
        shutil.copytree(options.package, folder, ignore=shutil.ignore_patterns("__pycache__"))
        config, checked, wrong = Config(python="none"), [], 0
        time.sleep(0.05)
        lint_paths([str(folder)], config, jobs=1, cache=cache)
        for index in range(options.edits):
            what = edit(folder, chance)
            time.sleep(0.05)  # a file that has just changed is not kept
            counts.clear()
            kept = told(lint_paths([str(folder)], config, jobs=1, cache=cache))
            checked += counts[:1]
            anew = told(lint_paths([str(folder)], config, jobs=1))
            if kept != anew:
                wrong += 1
                print(f"{index}: {what}")
                for one, other in zip(kept, anew, strict=True):
                    if one != other:
                        print("   only with the cache:", [each for each in one if each not in other][:2])
                        print("   only without:", [each for each in other if each not in one][:2])
    print(
        f"{options.edits} edits, {wrong} with other findings; {sum(checked) / max(1, len(checked)):.1f} files checked"
    )


if __name__ == "__main__":
    main()
