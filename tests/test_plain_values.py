"""What Python computes of numbers, texts and containers of such, the linter computes alike."""

from __future__ import annotations

from inspect import cleandoc
from typing import Any

import pytest

from inplace_lint import lint_source

HEAD = """
import functools, itertools, math, operator, os
import torch
from torch import nn
"""

TRUE = """
    {"a", "b"} == {"b", "a"} ; "b" in ({"a"} | {"b"}) ; "c" not in ({"a"} | {"b"}) ; {"a"} <= {"a", "b"}
    not ({"a"} - {"a"}) ; ({"a"} & {"a"}) == {"a"} ; len(set([1, 1, 2])) == 2
    "a-b".split("-")[1] == "b" ; "a,b".partition(",")[2] == "b" ; "a.b.c".rsplit(".", 1)[1] == "c"
    "Ab".lower() == "ab" ; "Ab".endswith(("b", "c")) ; "x{}".format(1) == "x1" ; "x%d" % 1 == "x1"
    "_".join(["a", "b"]) == "a_b" ; "abc"[1:] == "bc" ; "abc"[-1] == "c" ; "abc".find("c") == 2 ; "b" in "abc"
    max(1, 2) == 2 ; max([1, 2], key=lambda v: -v) == 1 ; divmod(5, 2)[0] == 2 ; 2 ** 3 == 8 ; 7 // 2 == 3
    list(filter(None, [0, 1])) == [1] ; (1, 2) < (1, 3) ; {"a": 1} == {"a": 1} ; bool([]) is False
    sorted([3, 1, 2])[0] == 1 ; sorted([3, 1, 2], reverse=True)[0] == 3 ; sorted(["bb", "a"], key=len)[0] == "a"
    sorted({"b": 1, "a": 2})[0] == "a" ; [3, 1].index(1) == 1 ; [3, 1, 3].count(3) == 2
    math.sqrt(4) == 2 ; math.ceil(1.2) == 2 ; math.prod([2, 3]) == 6 ; int(math.log2(8)) == 3 ; math.pi > 3
    next(iter([]), 3) == 3 ; ({"a": 1} | {"b": 2})["b"] == 2 ; type("a") == str ; type(1) is not str
    os.path.splitext("a.txt")[1] == ".txt" ; os.path.basename("a/b") == "b" ; ord("a") == 97 ; hex(255) == "0xff"
"""

STEPS = {
    "a list is sorted": ("rows = [3, 1, 2]\nrows.sort()", "rows[0] == 1"),
    "an element is removed": ("rows = ['a', 'b']\nrows.remove('a')", "rows[0] == 'b'"),
    "a set has an element once": ("rows = {'a'}\nrows.add('a')\nrows.discard('b')", "len(rows) == 1"),
    "a dictionary is brought up to date": ("rows = {'a': 1}\nrows |= {'a': 2}", "rows['a'] == 2"),
    "a set grows": ("rows = {'a'}\nrows |= {'b'}", "'b' in rows"),
    "a list grows": ("rows = [1]\nrows += [2]", "rows[1] == 2"),
    "a container of modules grows": ("rows = nn.ModuleList([])\nrows += [nn.ReLU()]", "len(rows) == 1"),
}

PROGRAM = """
def checked():
    {steps}
    row = nn.Parameter(torch.ones(3)) if {condition} else torch.ones(3)
    row.mul_(2)
"""


def _found(steps: str, condition: str) -> list[str]:
    body = PROGRAM.format(steps=steps.replace("\n", "\n    "), condition=condition)
    return [each.code for each in lint_source(HEAD + body)]


def _is_true(steps: str, condition: str) -> bool:
    names: dict[str, Any] = {}
    exec(HEAD + steps, names)
    return bool(eval(condition, names))


CONDITIONS = [each.strip() for each in cleandoc(TRUE).replace("\n", ";").split(";")]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_what_holds(condition: str) -> None:
    assert _is_true("", condition)
    assert _found("", condition) == ["IPL101"]
    assert _found("", f"not ({condition})") == []


@pytest.mark.parametrize("case", STEPS)
def test_what_methods_change(case: str) -> None:
    steps, condition = STEPS[case]
    assert _is_true(steps, condition)
    assert _found(steps, condition) == ["IPL101"]
    assert _found(steps, f"not ({condition})") == []


@pytest.mark.parametrize(
    "condition", ["'a' * 10**9 == 'b'", "b'a' * 10**9 == b'b'", "2 ** 10**9 == 3", "'{:9999999}'.format(1) == 'b'"]
)
def test_what_would_take_long_stays_unknown(condition: str) -> None:
    assert _found("", condition) == _found("", f"not ({condition})") == ["IPL101"]
