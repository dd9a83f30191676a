"""Files are read with `ast`, or with libcst where only another version of Python understands them: one `ir`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest
import torch

from inplace_lint.source import ir
from inplace_lint.source.cst_lowering import lower_with_libcst
from inplace_lint.source.errors import SourceError
from inplace_lint.source.lower import lower
from inplace_lint.source.walk import is_generator

ROOT = Path(__file__).parent.parent
FILES = sorted(path for folder in ("inplace_lint", "tests", "examples") for path in (ROOT / folder).rglob("*.py"))
PROGRAMS = sorted(path for folder in ("tests/cases", "examples") for path in (ROOT / folder).rglob("*.py"))
RELEASED = sorted(Path(torch.__file__).parent.glob("optim/*.py"))  # written by others, in other ways

ODD = """\
@(yield_ := decorate)  # a comment
async def  naïve ( á , /, b : int = (1), * , ü: "str" = "é" , **kw ) -> ( int ) :
    async with open(á) as f, g: pass
    async for x, *y in z: break
    else: continue
    r = ( á, (b) , # ) a comment
          )
    return (
        # first
        (á), "(" , b
    )
class  \\
    C(* bases , metaclass = M): x: int; y: int = 3
é = (a for a in b if (c)); f(a for a in (b) ); f(*(a + b), (c), k = (d), ** e)
x[(a, b), ::2, 1:], (y) = - 3, ~ (not 4) if a < b <= (c) else lambda *a, b=1: (a)
if (a and b or (c and (d))): del a, c[0]; x @= y; global g, h
elif 1: import a.b.c, d.e as f; from . import *; from ..x import (y as z, w,)
try: raise (E) from e
except (A, B) as e: assert a, b
finally: print("a" "b", f"{a}{b!r:>{w}}" "c", {**a, "b": 1}, {1, *s}, 1j, ..., 0x_f, [*a])
"""


MATCH = """\
match  a . b :
    case  "x" | -1 | c.d : pass
    case  None : pass
    case ( { "k" : v , ** rest } ) if v : pass
    case [ x , ( y as z ) , * others ] : pass
    case ( 1 , int( n ) ) | ( 2 , n ) : pass
    case  D ( e , f = g , h = "i" ) as whole if whole : pass
    case  other : pass
match f(a), 1:
    case ("x", 2 ): pass
    case _: pass
"""


def facts(part: object) -> Iterator[object]:
    """What two lowerings must agree on: everything but spans that nobody looks at."""
    if isinstance(part, tuple):
        for item in part:
            yield from facts(item)
    elif isinstance(part, ir.Opaque):
        yield type(part), part.span.row
        yield from (inner for inner in map(list, map(facts, _flat(part))) if inner)
    elif isinstance(part, ir.Node):
        unseen = isinstance(part, (ir.Clause, ir.Arg, ir.BoolOp))
        case = isinstance(part, ir.If) and isinstance(part.test, ir.Opaque)
        yield type(part), None if unseen or case else part.span
        names = [each.name for each in fields(part) if each.init and each.name not in ("span", "make_body")]
        if isinstance(part, ir.Function):
            yield is_generator(part)
        for name in [*names, "body"] if isinstance(part, ir.Function) else names:
            value = getattr(part, name)
            yield name
            yield from facts(_rows(value) if name == "index" else value)
    else:
        yield type(part), repr(part)


def _rows(index: ir.Expr) -> object:
    return index.items if isinstance(index, ir.Sequence) and index.kind == "tuple" else index


def _flat(part: ir.Opaque) -> Iterator[ir.Expr]:
    """The parts of an f-string, which libcst nests where several stand side by side."""
    for inner in part.parts:
        if isinstance(inner, ir.Opaque):
            yield from _flat(inner)
        elif not isinstance(inner, ir.Const):
            yield inner


def check(text: str, path: str) -> None:
    ours, theirs = lower(text, path), lower_with_libcst(text, path, None)
    assert list(facts(ours.body)) == list(facts(theirs.body))


@pytest.mark.parametrize(
    "file", [*FILES[::15], *PROGRAMS, *RELEASED], ids=lambda file: f"{file.parent.name}/{file.name}"
)
def test_both_ways_to_read_agree(file: Path) -> None:
    check(file.read_text("utf-8"), str(file))


def test_both_ways_agree_on_patterns() -> None:
    check(MATCH, "match.py")


def test_both_ways_agree_on_odd_spellings() -> None:
    check(ODD, "odd.py")


NESTED = """\
if 1:
\tclass A:
\t\t@property
\t\tasync def é(self, x="é"):
\t\t\t'''Two
lines.'''
\t\t\tdef inner(): return x, \\
  "é" "é"
\t\t\treturn inner
\x0cdef after(): return (1,
  2); \tx = 3
"""


# The last row of a body goes on in an empty one.
CONTINUED = "class A:\n    def f(self):\n        return 1, \\\n\n    def g(self): return 2, \\\n\nx = 1\n"


@pytest.mark.parametrize(
    "text", [*(file.read_text("utf-8") for file in FILES[::15]), ODD, NESTED, "def f(): pass", CONTINUED]
)
def test_a_body_read_from_its_text_is_the_same(text: str) -> None:
    kept, read = lower(text, "kept.py"), lower(text, "kept.py", keep=False)
    assert list(facts(read.body)) == list(facts(kept.body))


def test_what_only_another_python_understands() -> None:
    assert lower('x = f"{d["k"]}"\ntype T = int\n', "new.py").body
    with pytest.raises(SourceError, match="syntax error"):
        lower("def f(:\n", "broken.py")
