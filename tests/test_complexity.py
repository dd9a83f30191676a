"""No function has more ways through it than a reader can follow: cyclomatic complexity, as radon counts it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest
from radon.visitors import Class, ComplexityVisitor, Function

ROOT = Path(__file__).parent.parent
FILES = sorted([*(ROOT / "inplace_lint").rglob("*.py"), *(ROOT / "rules").glob("*.py")])

MOST = 20
MOST_IN = {"inplace_lint/judgement": 15}  # who disputes a verdict reads it

# What is above its bound, and how far at most. Figures may shrink and functions leave; nothing comes in.
TOO_COMPLEX = {
    "inplace_lint/interpret/torch/ops.py: _fits": 24,
    "inplace_lint/interpret/torch/tensor_methods.py: _to": 21,
    "inplace_lint/judgement/callees.py: judge_callee": 19,
    "inplace_lint/judgement/memory.py: _judge_owners": 22,
    "inplace_lint/judgement/other_place.py: _judge_extent": 18,
    "inplace_lint/judgement/other_place.py: _judge_named": 18,
    "inplace_lint/judgement/taken_out.py: _judge_use": 21,
}


def functions(text: str) -> Iterator[Function]:
    """All functions of a file, each without those that are nested in it."""
    visitor = ComplexityVisitor.from_code(text)
    return _flat([*visitor.functions, *visitor.classes])


def _flat(blocks: Iterable[Function | Class]) -> Iterator[Function]:
    for block in blocks:
        if isinstance(block, Class):
            yield from _flat([*block.methods, *block.inner_classes])
        else:
            yield block
            yield from _flat(block.closures)


@cache
def too_complex() -> dict[str, int]:
    """The functions above the bound that holds where they stand."""
    found: dict[str, int] = {}
    for file in FILES:
        place = file.relative_to(ROOT)
        most = MOST_IN.get(place.parent.as_posix(), MOST)
        for each in functions(file.read_text("utf-8")):
            if each.complexity > most:
                found[f"{place.as_posix()}: {each.fullname}"] = each.complexity
    return found


def test_functions_are_simple() -> None:
    worse = {name: ways for name, ways in too_complex().items() if ways > TOO_COMPLEX.get(name, 0)}
    assert not worse, "split them by idea"


def test_what_is_simple_leaves_the_table() -> None:
    assert TOO_COMPLEX.keys() <= too_complex().keys()


@pytest.mark.parametrize(
    ("body", "complexity"),
    [
        ("return a", 1),
        ("return a and b or c", 3),
        ("return [x for x in a if x]", 3),
        ("for x in a:\n        if x: pass\n        elif b: pass", 4),
        ("try: a()\n    except E: b()\n    except F: c()", 3),
        ("def g():\n        return a if b else c\n    return g", 1),
    ],
)
def test_ways_are_counted(body: str, complexity: int) -> None:
    assert next(functions(f"class A:\n  class B:\n   def f(self):\n    {body}\n")).complexity == complexity


def test_every_function_is_measured() -> None:
    text = "def f():\n def g(): pass\nclass A:\n def h(self): pass\n class B:\n  async def i(self): pass\n"
    assert [each.fullname for each in functions(text)] == ["f", "g", "A.h", "B.i"]
