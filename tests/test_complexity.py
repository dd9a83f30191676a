"""No function has more ways through it than a reader can follow: cyclomatic complexity, as radon counts it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from radon.visitors import Class, ComplexityVisitor, Function

ROOT = Path(__file__).parent.parent
FILES = sorted([*(ROOT / "inplace_lint").rglob("*.py"), *(ROOT / "rules").glob("*.py")])

MOST = 20
MOST_IN = {"inplace_lint/judgement": 15}  # who disputes a verdict reads it


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


def test_functions_are_simple() -> None:
    found: dict[str, int] = {}
    for file in FILES:
        place = file.relative_to(ROOT)
        most = MOST_IN.get(place.parent.as_posix(), MOST)
        for each in functions(file.read_text("utf-8")):
            if each.complexity > most:
                found[f"{place.as_posix()}: {each.fullname}"] = each.complexity
    assert not found, "split them by idea"


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
