"""The inputs of `fuzz.py`: each is made of a seed and a number alone, so that it can be made again.

`mutated` is real code with a few changes, `notebook` the same in the cells of a notebook, `suite` a file of CPython's
own tests and `hypothesmith` a program of the grammar of Python, each with a hazard at its end; `programs` is one that
PyTorch can run.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parent.parent

# Longer files are slow for good reasons.
MOST_LINES = 1500
MOST_CHARACTERS = 100_000

# What a token is replaced by: bounds of integers, text that is no text, and syntax out of place.
HOSTILE = (
    "0 -1 1.5 1e309 9223372036854775807 9223372036854775808 -9223372036854775809 10**30 1j None ... True '' b'' '{' "
    "'%' f'{x!r:>{y}}' () [] {} (x:=1) *x **x lambda:0 yield await async nonlocal global return import * @ -> := : ; , "
    "( ) [ ] { } == <<= >> ** not in is __class__ self super().__init__() torch torch.no_grad() .data [0] [::-1] [...] "
    "[None] .add_(1) .relu_() .detach() .T \\ # \x0c \u202e \ufeff \U0001f600 \u6f22"
).split(" ")
# What is put between lines; `x` and `y` become names of the file.
STATEMENTS = (
    "nonlocal x|global x|from torch import *|def x(y, y): pass|x = lambda y, y: 1|return x|yield x|x = yield|del x|"
    "x = x + x|x = x * 9|x = [*x, *x]|x = {**x, **y}|x += y|x -= y[0]|x = x.data|x.mul_(y)|torch.relu_(x)|y = x[:]|"
    "x[0] = y|x[:, 1:] += 1|x.y = x|y.x = y|class x(x): pass|class x(y): y = x|def x(): return x()|x = y = x|x, *y = y|"
    "import x as torch|exec('x')|locals()['x'] = y|setattr(x, 'y', y)|for x in x: x.add_(1)|while True: x = y|"
    "for x, y in zip(x, y): y += x|with torch.no_grad(): x.add_(y)|with x as x: pass|x = F.relu(y, inplace=True)|"
    "try: x\nexcept y: x = y|match x:\n    case [y, *_]: y.add_(1)|x: y = x|(x := y).add_(1)|assert x|raise x|"
    "x.sum().backward()|y = torch.sigmoid(x)|y = x.chunk(2)|y = x.expand(9, -1)|y = [y for y in x if y]|x = x.y.x|"
    "x = super().x(*y, **x)|@x\ndef y(x): x += 1|x = range(y)[x]|x.insert(y, x)|x = '%' + y|x = y ** y|x <<= y"
).split("|")
# What makes a file our business: without PyTorch there is nothing to look for.
HAZARD = "\nimport torch\ndef hazard(x):\n    return x * torch.sigmoid_(x)\n"
TOKEN = re.compile(r"\w+|[^\w\s]|\s+")
# How many of the programs of hypothesmith are made at once.
BATCH = 20


@dataclass(frozen=True)
class Corpus:
    """Real code: what is mutated, in groups that count alike, and what is checked as it is."""

    mutated: Sequence[Sequence[Path]]
    suite: Sequence[Path]


def corpus(folders: Sequence[Path]) -> Corpus:
    """The files to work on: our own cases, what is installed beside us, CPython's tests, and the folders given."""
    own = [ROOT / name for name in ("tests/cases", "examples")]
    installed = [Path(path) for path in _installed("torch")]
    tests = [Path(path) for path in _installed("test")]
    groups = (_sources(each) for each in (own, installed, folders))
    return Corpus([group for group in groups if group], _sources(tests))


def make(kind: str, seed: int, number: int, files: Corpus) -> str:
    """One input."""
    random = Random(f"{seed} {number} {kind}")
    return _MAKERS[kind](random, seed, number, files)


def kinds() -> list[str]:
    """The kinds that can be made here."""
    needs = {"hypothesmith": "hypothesmith", "suite": "test.support", "programs": "torch"}
    return [kind for kind in _MAKERS if kind not in needs or _is_there(needs[kind])]


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ImportError:
        return False


def _installed(package: str) -> Sequence[str]:
    spec = find_spec(package) if _is_there(package) else None
    return list(spec.submodule_search_locations or ()) if spec else ()


def _sources(folders: Sequence[Path]) -> list[Path]:
    files = {file for folder in folders for file in folder.rglob("*.py") if file.stat().st_size <= MOST_CHARACTERS}
    return sorted(files)


@lru_cache(maxsize=256)
def _text(file: Path) -> str:
    return file.read_bytes().decode("utf-8", errors="replace").replace("\r\n", "\n")


def _excerpt(random: Random, files: Corpus) -> list[str]:
    return _text(random.choice(random.choice(files.mutated))).split("\n")[:MOST_LINES]


def _mutated(random: Random, seed: int, number: int, files: Corpus) -> str:
    """A file with one to twenty changes, of which most leave it Python."""
    lines = _excerpt(random, files)
    for _ in range(random.choice((1, 2, 3, 5, 8, 20))):
        changed = random.choice(_CHANGES)(random, lines, files) or [""]
        if random.random() < 0.05 or is_python("\n".join(changed)):
            lines = changed
    return "\n".join(lines)[:MOST_CHARACTERS]


def is_python(text: str) -> bool:
    """Whether a text is Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _range(random: Random, lines: Sequence[str]) -> slice:
    start = random.randrange(len(lines))
    return slice(start, start + random.choice((1, 1, 2, 5, 20)))


def _delete(random: Random, lines: list[str], _: Corpus) -> list[str]:
    some = _range(random, lines)
    return lines[: some.start] + lines[some.stop :]


def _repeat(random: Random, lines: list[str], _: Corpus) -> list[str]:
    some = _range(random, lines)
    times = random.choice((2, 2, 3, 20))
    return lines[: some.start] + lines[some] * times + lines[some.stop :]


def _move(random: Random, lines: list[str], _: Corpus) -> list[str]:
    some = _range(random, lines)
    rest = lines[: some.start] + lines[some.stop :]
    at = random.randrange(len(rest) + 1)
    return rest[:at] + lines[some] + rest[at:]


def _splice(random: Random, lines: list[str], files: Corpus) -> list[str]:
    """Lines of another file, with the indentation of where they go."""
    at = random.randrange(len(lines))
    other = _excerpt(random, files)
    some = other[_range(random, other)]
    change = len(lines[at]) - len(lines[at].lstrip()) - (len(some[0]) - len(some[0].lstrip()))
    moved = [
        " " * change + line if change > 0 else line[-change:] if not line[:-change].strip() else line for line in some
    ]
    return lines[:at] + moved + lines[at:]


def _statement(random: Random, lines: list[str], _: Corpus) -> list[str]:
    """A statement that may be out of place, about names of the file."""
    at = random.randrange(len(lines))
    names = re.findall(r"[^\W\d]\w*", "\n".join(lines[max(0, at - 5) : at + 5])) or ["x"]
    chosen = {"x": random.choice(names), "y": random.choice(names)}
    statement = re.sub(r"\b[xy]\b", lambda found: chosen[found[0]], random.choice(STATEMENTS))
    indent = re.match(r"\s*", lines[at])
    added = [(indent[0] if indent else "") + line for line in statement.split("\n")]
    return lines[:at] + added + lines[at:]


def _token(random: Random, lines: list[str], _: Corpus) -> list[str]:
    """A token becomes another one of the file, or a hostile one."""
    at = random.randrange(len(lines))
    tokens = TOKEN.findall(lines[at])
    others = TOKEN.findall(random.choice(lines))
    if tokens:
        place = random.randrange(len(tokens))
        tokens[place] = random.choice(others) if others and random.random() < 0.5 else random.choice(HOSTILE)
    return [*lines[:at], "".join(tokens), *lines[at + 1 :]]


def _indent(random: Random, lines: list[str], _: Corpus) -> list[str]:
    some = _range(random, lines)
    by = random.choice(("    ", "\t", " "))
    moved = [line.removeprefix(by) if random.random() < 0.5 else by + line for line in lines[some]]
    return lines[: some.start] + moved + lines[some.stop :]


def _character(random: Random, lines: list[str], _: Corpus) -> list[str]:
    at = random.randrange(len(lines))
    place = random.randrange(len(lines[at]) + 1)
    inserted = random.choice(("", chr(random.randrange(0x20, 0x7F)), chr(random.randrange(1, 0xD800))))
    return [*lines[:at], lines[at][:place] + inserted + lines[at][place + 1 :], *lines[at + 1 :]]


_CHANGES = (_delete, _repeat, _move, _splice, _splice, _token, _token, _indent, _character, *[_statement] * 6)


def _notebook(random: Random, seed: int, number: int, files: Corpus) -> str:
    lines = _mutated(random, seed, number, files).split("\n")
    cells = []
    while lines:
        size = random.choice((1, 3, 10, 40))
        some, lines = lines[:size], lines[size:]
        magic = (
            [random.choice(("%matplotlib inline", "!ls", "%%time", "x = !ls", "x?"))] if random.random() < 0.1 else []
        )
        kind = "markdown" if random.random() < 0.05 else "code"
        cells.append({"cell_type": kind, "metadata": {}, "source": "\n".join(magic + some)})
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def _suite(random: Random, seed: int, number: int, files: Corpus) -> str:
    return _text(files.suite[number % len(files.suite)]) + HAZARD


def _hypothesmith(random: Random, seed: int, number: int, files: Corpus) -> str:
    return _smithed(seed, number // BATCH)[number % BATCH] + HAZARD


@lru_cache(maxsize=4)
def _smithed(seed: int, batch: int) -> Sequence[str]:
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import seed as seeded
    from hypothesmith import from_grammar, from_node

    made: list[str] = []

    @seeded(f"{seed} {batch}")
    @settings(
        max_examples=BATCH,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given((from_grammar if batch % 2 else from_node)())
    def keep(text: str) -> None:
        made.append(text)

    keep()
    return (made * BATCH)[:BATCH] or [""] * BATCH


def _programs(random: Random, seed: int, number: int, files: Corpus) -> str:
    from growth import HEADER
    from programs import program
    from structured_programs import structured_program

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return HEADER + (structured_program if number % 2 else program)(random)


_MAKERS: dict[str, Callable[[Random, int, int, Corpus], str]] = {
    "mutated": _mutated,
    "notebook": _notebook,
    "suite": _suite,
    "hypothesmith": _hypothesmith,
    "programs": _programs,
}
