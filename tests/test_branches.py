"""Which branches lead to a write: exploration goes there first."""

from __future__ import annotations

from collections.abc import Hashable
from types import SimpleNamespace
from typing import Any

import pytest

from inplace_lint.interpret.state.branches import Branch, may_write
from inplace_lint.interpret.state.conditions import EVERY, truth
from inplace_lint.interpret.state.keys import Answer, Compare, Equal, Shape, key_of
from inplace_lint.interpret.state.oracle import Oracle
from inplace_lint.interpret.state.program import Program
from inplace_lint.interpret.state.values import Unknown
from inplace_lint.source import ir
from inplace_lint.source.lower import lower
from inplace_lint.source.place import Span
from inplace_lint.torch_model.constant import Constant

FUNCTION = """
def f(x, a, b):
    if a:
        BODY
    else:
        OTHER
    BEHIND
"""

# The two ways and what comes behind, each with the ways that lead to a write.
PROGRAMS = {
    "at once": (("x.add_(1)", "x = x + 1", "pass"), {True}),
    "in the last block of a way": (("x = x + 1", "if b:\n            x.add_(1)", "pass"), {False}),
    "in a block of a block": (
        ("x = x + 1", "for _ in b:\n            with b:\n                x.add_(1)", "pass"),
        {False},
    ),
    "in a handler": (("try:\n            b()\n        except OSError:\n            x.add_(1)", "pass", "pass"), {True}),
    "behind both": (("pass", "pass", "x.add_(1)"), set()),
    "behind one, since the other leaves": (("return x", "pass", "x.add_(1)"), {False}),
    "in a way that leaves": (("x = x + 1\n        return x", "if b:\n            x.add_(1)", "pass"), {False}),
}


def _branch(text: str, holds: bool) -> Branch:
    """One way of the first function of a file."""
    module = Program({"f.py": text}.get, lower).add("f.py", text)
    function = next(each.function for each in module.code.body if isinstance(each, ir.FunctionDef))
    return Branch(next(node for node in function.body if isinstance(node, ir.If)), holds, function, module)


@pytest.mark.parametrize("name", ["scale", "shift"])
def test_a_call_of_a_function_that_writes_leads_to_a_write(name: str) -> None:
    text = FUNCTION.replace("BODY", "a.scale(x)").replace("OTHER", "pass").replace("BEHIND", "pass")
    text += f"\n\ndef {name}(x):\n    x.mul_(2)\n"
    assert may_write(_branch(text, True)) == (name == "scale")


@pytest.mark.parametrize(("parts", "expected"), PROGRAMS.values(), ids=PROGRAMS)
def test_branches_that_lead_to_a_write(parts: tuple[str, str, str], expected: set[bool]) -> None:
    body, other, behind = parts
    text = FUNCTION.replace("BODY", body).replace("OTHER", other).replace("BEHIND", behind)
    assert {holds for holds in (True, False) if may_write(_branch(text, holds))} == expected


SIZE = key_of(Shape("len", "x"))


@pytest.mark.parametrize(
    ("asked", "usual"),
    [
        (Equal(frozenset({SIZE, Constant(0)})), False),
        (Equal(frozenset({SIZE, Constant(3)})), True),
        (Compare("<=", SIZE, Constant(1)), False),
        (Compare(">", Constant(2), SIZE), False),
        (Compare("<", SIZE, Constant(5)), True),
        (Compare(">", SIZE, Constant(1)), True),
        (Answer(EVERY, (key_of(Compare("<", SIZE, Constant(2))), Constant(True))), False),
        (Answer(EVERY, (key_of(Compare("<", SIZE, Constant(9))),)), True),
        (Equal(frozenset({"name", Constant("tensorflow.compat.v1")})), False),
        (Equal(frozenset({"name", Constant("jax")})), False),
        (Equal(frozenset({"name", Constant("pytorch")})), True),
    ],
)
def test_what_is_an_exception_is_no_way_to_begin(asked: Hashable, usual: bool) -> None:
    run: Any = SimpleNamespace(oracle=Oracle(), asked_need={})
    assert truth(run, Unknown(key_of(asked)), ir.Opaque(Span(1, 1, 1, 1), ())) is usual
