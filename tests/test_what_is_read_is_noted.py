"""Whatever is read of the body of a function in another file is noted, or a question about that file is."""

from __future__ import annotations

import ast
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from inplace_lint import Config
from inplace_lint.interpret.analysis import analyze
from inplace_lint.interpret.state.program import ModuleFile
from inplace_lint.interpret.state.top_statements import flat
from inplace_lint.pipeline.lint_file import lint_file
from inplace_lint.source import ir
from inplace_lint.source.part_names import EVERYTHING, QUESTION

CASES = Path(__file__).parent / "cases"
# Finds out what the skeleton of a file tells.
YIELDS = "is_generator"
# Answers questions.
ASKING = "asking"
WALKING = frozenset({"nodes", "blocks", "facts", "may_write", "<genexpr>", "<listcomp>", "note", "body"})

Body = tuple[str, str]
"""A file, and a function of it."""


def split(source: Path, folder: Path, chance: random.Random) -> Iterator[Path]:
    """A file of cases as three files that import one another; the cases themselves stay in the first."""
    text = source.read_text("utf-8")
    tree, lines = ast.parse(text), text.split("\n")
    names = [source.stem, f"{source.stem}_parts", f"{source.stem}_more"]
    home: dict[str, str] = {}
    bodies: dict[str, list[ast.stmt]] = {name: [] for name in names}
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        used = [home[name] for name in read_in(node) if name in home]
        chosen = chance.choice(names[1:])
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            chosen = names[0] if node.name.startswith("case_") else chosen
            home[node.name] = chosen
        else:
            chosen = used[-1] if used else chosen
            home.update((each.id, chosen) for each in ast.walk(node) if stores(each))
        bodies[chosen].append(node)
    imports = [said(node, lines) for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    for name in names:
        needed = sorted({each for node in bodies[name] for each in read_in(node)})
        others = [f"from {home[each]} import {each}" for each in needed if home.get(each, name) != name]
        path = folder / f"{name}.py"
        path.write_text("\n\n".join([*imports, *others, *(said(node, lines) for node in bodies[name])]) + "\n", "utf-8")
        yield path


def read_in(node: ast.stmt) -> Iterator[str]:
    return (each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load))


def stores(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def said(node: ast.stmt, lines: list[str]) -> str:
    decorators = getattr(node, "decorator_list", [])
    return "\n".join(lines[min(each.lineno for each in (node, *decorators)) - 1 : node.end_lineno])


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> dict[Body, str]:
    """The bodies that have been read, or that something was known of, and by whom."""
    found: dict[Body, str] = {}
    owners: dict[ir.Function, Body] = {}

    def note(function: ir.Function) -> None:
        callers = [*calling()]
        if function in owners and YIELDS not in callers and "learned_by" not in callers:
            found.setdefault(
                owners[function], ASKING if ASKING in callers else next(each for each in callers if each not in WALKING)
            )

    def body(function: ir.Function) -> object:
        note(function)
        return whole(function)

    def made(module: ModuleFile) -> None:
        prepared(module)
        for node in flat(module.code.body) if not module.library else ():
            if isinstance(node, ir.FunctionDef):
                owners[node.function] = (module.path, node.function.name)
            for each in node.body if isinstance(node, ir.ClassDef) else ():
                if isinstance(each, ir.FunctionDef):
                    owners[each.function] = (module.path, f"{node.name}.{each.function.name}")

    def facts(function: ir.Function) -> object:
        note(function)
        return function.__dict__.get("_facts")

    whole, prepared = ir.Function.body.fget, ModuleFile.__post_init__
    monkeypatch.setattr(ir.Function, "body", property(body))
    kept = property(facts, lambda function, value: function.__dict__.update(_facts=value))
    monkeypatch.setattr(ir.Function, "facts", kept)
    monkeypatch.setattr(ModuleFile, "__post_init__", made)
    return found


def calling() -> Iterator[str]:
    """Who reads a body, the innermost first."""
    frame = sys._getframe(2).f_back
    while frame is not None:
        asks = frame.f_code.co_name == "_called_in" or frame.f_globals["__name__"].endswith((".asked", ".fillers"))
        yield ASKING if asks else frame.f_code.co_name
        frame = frame.f_back


def is_of_analysis(part: str) -> bool:
    """Whether a part is a question that the analysis asks: the screen asks much, and all ask how long a file is."""
    return part.startswith(QUESTION) and not part.startswith(("?reaches ", "?meets ", "?length"))


@pytest.mark.parametrize("seed", range(3))
def test_whatever_is_read_of_another_file_is_noted(
    seed: int, read: dict[Body, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    chance = random.Random(seed)
    bodies = 0
    for source in chance.sample(sorted(CASES.glob("*.py")), 10):
        for path in [*split(source, Path(), chance)]:
            analyze.forget_files()  # what was read before is read anew
            read.clear()
            depends = lint_file(str(path), Config(python="none")).depends
            for (other, part), by in read.items():
                noted = depends.get(other, ())
                asked = by == ASKING and any(map(is_of_analysis, noted))
                assert other == str(path) or part in noted or EVERYTHING in noted or asked, (path, other, part, by)
                bodies += other != str(path)
    assert bodies
