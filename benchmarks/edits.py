"""Random edits of a package: is what the cache gives after each what a run without it gives?

    python benchmarks/edits.py PACKAGE... [--edits N] [--seed N] [--seconds N]

Each package is copied. Now and then, several files change in one step, and a file gets its first text back. A step
after which every file is as it was is no edit, and another is made. Both runs happen in this process; now and then one
in a new process is compared as well, which cannot know anything of earlier runs. Prints each edit after which they
differ, how many files were checked again on average, and how many edits of each kind there were.
"""

from __future__ import annotations

import argparse
import difflib
import multiprocessing
import random
import re
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
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


def derive(text: str, chance: random.Random) -> str:
    """Give a class another base, or take away those that it has."""

    def other(found: re.Match[str]) -> str:
        base = chance.choice([*_CLASS_NAME.findall(text), "nn.Module", ""])
        kept = [each for each in (found[2] or "").split(",") if each and chance.random() < 0.7]
        return f"class {found[1]}({', '.join([base, *kept] if base and base != found[1] else kept)}):"

    return _one(text, _CLASS, other, chance)


def none(text: str, chance: random.Random) -> str:
    """Let an attribute be None where it gets its value, or something else where it is None."""
    return _one(text, _ATTRIBUTE, lambda found: f"{found[1]}{'[]' if found[2] == 'None' else 'None'}", chance)


def declare(text: str, chance: random.Random) -> str:
    """Annotate an attribute or a parameter, with a class of the file or another type."""
    kind = chance.choice([*_CLASS_NAME.findall(text), "torch.Tensor", "int", "str", "list[torch.Tensor]"])
    if chance.random() < 0.5:
        return _one(text, _ATTRIBUTE, lambda found: f"{found[1].rpartition(' =')[0]}: {kind} = {found[2]}", chance)
    return _one(text, _PARAMETER, lambda found: f"{found[1]}: {kind}{found[2]}", chance)


def assign(text: str, chance: random.Random) -> str:
    """Let a method begin with another value for an attribute, or count it."""
    names, methods = re.findall(r"\bself\.(\w+)\b(?!\()", text), list(_METHOD.finditer(text))
    if not names or not methods:
        return text
    found, name = chance.choice(methods), chance.choice(names)
    value = chance.choice(["= None", "= True", "= torch.zeros(3)", "= torch.zeros(3, dtype=torch.long)", "+= 1"])
    return f"{text[: found.end()]}{found[1]}    self.{name} {value}\n{text[found.end() :]}"


def announce(text: str, chance: random.Random) -> str:
    """Say in a comment beside a line that it is in place, or that nobody wants to hear of it."""
    remark = chance.choice(["in place", "in place", "noqa", "inplace-lint: ignore"])
    return _one(text, _WRITE, lambda found: f"{found[0]}  # {remark}", chance)


def infer(text: str, chance: random.Random) -> str:
    """Call a function or class by a name that is one of inference, or of preparation, all over the file."""
    names = re.findall(r"^ *(?:def|class) (\w+)", text, re.MULTILINE)
    if not names:
        return text
    name = chance.choice(names)
    new = chance.choice(["predict", "postprocess", "init_weights", "{}_inference", "load_{}", "{}Model", "_{}"])
    return re.sub(rf"\b{name}\b", new.format(name), text)


def without(text: str, chance: random.Random) -> str:
    """Let a function run without gradients, or no longer."""
    if "@torch.no_grad()" in text and chance.random() < 0.5:
        return _one(text, re.compile(r"^ *@torch\.no_grad\(\)\n", re.MULTILINE), lambda _: "", chance)
    return _one(text, _DEFINES, lambda found: f"{found[1]}@torch.no_grad()\n{found[0]}", chance)


def call(text: str, chance: random.Random) -> str:
    """Call a function or method of the file at its end: in a function, with or without gradients, or at once."""
    names = re.findall(r"^ *def (\w+)\(", text, re.MULTILINE)
    if not names:
        return text
    called = f"{chance.choice(['', 'x.'])}{chance.choice(names)}"
    return text + chance.choice(
        [
            f"\n\ndef calls(x):\n    with torch.no_grad():\n        return {called}(x)\n",
            f"\n\ndef calls_too(x):\n    return {called}(x)\n",
            f"\n\nx = torch.ones(3)\n{called}(x)\n",
        ]
    )


def tabulate(text: str, chance: random.Random) -> str:
    """Put functions or classes of the file into a table, or take one out."""
    if "TABLE = {" in text and chance.random() < 0.5:
        return re.sub(r"^TABLE = \{'\w+': \w+, ", "TABLE = {", text, count=1, flags=re.MULTILINE)
    names = re.findall(r"^(?:def|class) (\w+)", text, re.MULTILINE)
    chosen = chance.sample(names, min(3, len(names)))
    entries = ", ".join(f"'{name.lower()}': {name}" for name in chosen)
    return f"{text}\n\nTABLE = {{{entries}}}\n\n\ndef by_name(key, x):\n    return TABLE[key](x)\n"


_CLASS = re.compile(r"^class (\w+)(?:\(([^()\n]*)\))?:", re.MULTILINE)
_CLASS_NAME = re.compile(r"^class (\w+)", re.MULTILINE)
_ATTRIBUTE = re.compile(r"^( +self\.\w+ = )([^\n([{]+)$", re.MULTILINE)
_PARAMETER = re.compile(r"((?:\(self|\bdef \w+\(|,) ?\w+)([,)=])")
_METHOD = re.compile(r"^( *)def \w+\(self[^\n]*\):\n", re.MULTILINE)
_WRITE = re.compile(r"^[^\n#]*(?:\w_\(|\w\] = |[-+*/]= )[^\n#]*$", re.MULTILINE)

SMALL: tuple[Edit, ...] = (comment, blank, number, in_place, out_of_place, rename, write, drop, double)
TELLING: tuple[Edit, ...] = (derive, none, declare, assign, announce, infer, without, call, tabulate)


def _one(text: str, pattern: re.Pattern[str], to: Callable[[re.Match[str]], str], chance: random.Random) -> str:
    found = list(pattern.finditer(text))
    if not found:
        return text
    chosen = chance.choice(found)
    return text[: chosen.start()] + to(chosen) + text[chosen.end() :]


@dataclass(slots=True)
class Editor:
    """Edits a package.

    Args:
        folder: the package.
        chance: what is done next.
        texts: the first texts of its files.
        kinds: how many edits of each kind have changed something.
    """

    folder: Path
    chance: random.Random
    texts: dict[Path, str] = field(default_factory=dict)
    kinds: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.texts.update(self._all())

    def step(self) -> str:
        """Make one random edit or, one time in four, several; say what they were."""
        count = self.chance.choice((1, 1, 1, 1, 1, 1, 2, 3))
        before, done = self._all(), list[str]()
        while len(done) < count or before == self._all():
            texts = self._all()
            done.append(self._edit())
            if texts != self._all():
                self.kinds[done[-1].split()[0]] += 1
        return "; ".join(done)

    def _all(self) -> dict[Path, str]:
        return {path: path.read_text("utf-8") for path in self.folder.rglob("*.py")}

    def _edit(self) -> str:
        chance, files = self.chance, sorted(self.folder.rglob("*.py"))
        path, draw = chance.choice(files), chance.random()
        place = path.relative_to(self.folder)
        if draw < 0.15:
            back = chance.choice([each for each in self.texts if self._differs(each)] or sorted(self.texts))
            back.parent.mkdir(parents=True, exist_ok=True)
            back.write_text(self.texts[back], "utf-8")
            return f"restore {back.relative_to(self.folder)}"
        if draw < 0.3:
            return self._edit_files(path, draw)
        if draw < 0.38:
            other = chance.choice(files)
            return f"hand {hand_over(path, other, chance)} of {place} over to {other.relative_to(self.folder)}"
        if draw < 0.42:
            other = chance.choice(files)
            return f"let {place} call {import_one(path, other, chance)} of {other.relative_to(self.folder)}"
        before = path.read_text("utf-8")
        how = chance.choice(SMALL if draw < 0.65 else TELLING)
        path.write_text(after := how(before, chance), "utf-8")
        return f"{how.__name__} in {place}{shown(before, after)}"

    def _differs(self, path: Path) -> bool:
        return not path.exists() or path.read_text("utf-8") != self.texts[path]

    def _edit_files(self, path: Path, draw: float) -> str:
        chance, place = self.chance, path.relative_to(self.folder)
        package = path.with_name("__init__.py")
        if draw < 0.18:
            path.rename(target := path.with_name(f"moved_{chance.randrange(1000)}.py"))
            return f"move {place} to {target.name}"
        if draw < 0.21:
            shutil.copy(path, target := path.with_name(f"copy_{chance.randrange(1000)}.py"))
            return f"copy {place} to {target.name}"
        if draw < 0.23:
            path.unlink()
            return f"delete {place}"
        if draw < 0.26 and package.exists():
            package.unlink()
            return f"delete {package.relative_to(self.folder)}"
        if draw < 0.28 and path != package:
            inner = path.with_suffix("")
            inner.mkdir(exist_ok=True)
            path.rename(inner / "__init__.py")
            return f"make {place} a package"
        package.touch()
        return f"touch {package.relative_to(self.folder)}"


def shown(before: str, after: str) -> str:
    """What an edit changed, in short."""
    lines = difflib.unified_diff(before.split("\n"), after.split("\n"), lineterm="", n=0)
    changed = [line for line in lines if line[:2] not in ("--", "++", "@@")]
    return "".join(f"\n      {line}" for line in changed[:4])


def import_one(path: Path, other: Path, chance: random.Random) -> str:
    """Let a file import a function or class of another one, and call it."""
    names = re.findall(r"^(?:def|class) (\w+)", other.read_text("utf-8"), re.MULTILINE)
    if not names or other == path:
        return ""
    name, context = chance.choice(names), chance.choice(["torch.no_grad()", "torch.enable_grad()"])
    text = path.read_text("utf-8")
    called = f"\n\ndef use_{name}(x):\n    with {context}:\n        return {name}(x)\n"
    path.write_text(f"{text}\n\nfrom .{other.stem} import {name}\n{called}", "utf-8")
    return name


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

    def counting(remembers, todo, *rest):  # type: ignore[no-untyped-def]
        counts.append(len(todo))
        return work(remembers, todo, *rest)

    pipeline._work = counting
    try:
        yield counts
    finally:
        pipeline._work = work


AFRESH = 20
"""After how many edits one run is made in a process of its own."""

CONFIG = Config(python="none")


@dataclass(slots=True)
class Sums:
    """What came of the edits of all packages.

    Args:
        checked: for each edit, how many files were checked again.
        spent: for each edit, the processor time with the cache and without.
        kinds: how many edits of each kind there were.
        wrong: after how many edits the findings differed.
        afresh: after how many edits a new process was asked as well.
    """

    checked: list[int] = field(default_factory=list)
    spent: list[tuple[float, float]] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)
    wrong: int = 0
    afresh: int = 0


def main() -> None:
    """Edit the packages, and compare after each edit."""
    parser = argparse.ArgumentParser()
    parser.add_argument("packages", type=Path, nargs="+", metavar="PACKAGE")
    parser.add_argument("--edits", type=int, default=100, help="of each package")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no edit later than that")
    options = parser.parse_args()
    end, sums = time.monotonic() + options.seconds, Sums()
    for package in options.packages:
        before, wrong, chance = len(sums.checked), sums.wrong, random.Random(f"{options.seed} {package.name}")
        with tempfile.TemporaryDirectory() as where, counted() as counts:
            edit(package, Path(where), options.edits, end, chance, counts, sums)
        made, wrong = len(sums.checked) - before, sums.wrong - wrong
        print(f"{package.name}: {made} edits, {wrong} with other findings", flush=True)
    made = max(1, len(sums.checked))
    kept_took, anew_took = (sum(each[index] for each in sums.spent) / made for index in (0, 1))
    print(f"{len(sums.checked)} edits, {sums.wrong} with other findings; {sum(sums.checked) / made:.1f} files checked")
    print(f"{kept_took:.2f} s of processor time after an edit, {anew_took:.2f} s without a cache")
    print(f"a new process was asked {sums.afresh} times")
    print(", ".join(f"{kind} {count}" for kind, count in sums.kinds.most_common()))


def edit(
    package: Path, where: Path, edits: int, end: float, chance: random.Random, counts: list[int], sums: Sums
) -> None:
    """Edit a copy of a package."""
    folder, cache = where / package.name, str(where / "cache")
    shutil.copytree(package, folder, ignore=shutil.ignore_patterns("__pycache__"))
    editor = Editor(folder, chance)
    time.sleep(0.05)
    lint(folder, cache)
    for index in range(edits):
        if time.monotonic() > end:
            break
        what = editor.step()
        time.sleep(0.05)  # a file that has just changed is not kept
        counts.clear()
        began = time.process_time()
        kept = lint(folder, cache)
        sums.checked.append(sum(counts))
        between = time.process_time()
        others = [lint(folder, None)]
        sums.spent.append((between - began, time.process_time() - between))
        if index % AFRESH == AFRESH - 1:
            sums.afresh += 1
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                others.append(pool.apply(lint, (folder, None)))
        if any(kept != anew for anew in others):
            sums.wrong += 1
            print(f"{index}: {what}")
            for anew in others:
                show(kept, anew)
            shutil.rmtree(cache)  # begin anew: what is wrong once may stay so
            lint(folder, cache)
    sums.kinds += editor.kinds


def lint(folder: Path, cache: str | None) -> tuple[object, ...]:
    """What a run tells."""
    return told(lint_paths([str(folder)], CONFIG, jobs=1, cache=cache))


def show(kept: tuple[object, ...], anew: tuple[object, ...]) -> None:
    """Print where two runs differ."""
    for one, other in zip(kept, anew, strict=True):
        if one != other:
            print("   only with the cache:", [each for each in one if each not in other][:2])  # type: ignore[attr-defined]
            print("   only without:", [each for each in other if each not in one][:2])  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
