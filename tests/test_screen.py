from __future__ import annotations

import pytest

from inplace_lint import Diagnostic, lint_source

HAZARD = "import torch\nx = torch.ones(1, requires_grad=True)\nx.add_(1)\n"


def unreadable(text: str) -> Diagnostic:
    (found,) = lint_source(text)
    assert found.code == "IPL902"
    return found


@pytest.mark.parametrize(
    "text",
    [
        "x = " + " + ".join(["x"] * 5000),
        "x = torch" + ".relu()" * 3000,
        "x = " + "[" * 5000 + "]" * 5000,
        "if x:\n    pass\n" + "elif x:\n    pass\n" * 3000,
    ],
    ids=["operators", "calls", "brackets", "branches"],
)
def test_nested_too_deeply(text: str) -> None:
    assert unreadable(HAZARD + text).message.startswith("is nested too deeply")


@pytest.mark.parametrize(
    "text",
    [
        "y = " + " + ".join(["x"] * 500),
        "y = x" + ".relu()" * 300,
        "y = " + "[" * 60 + "]" * 60,
        "if x:\n    pass\n" + "elif x:\n    pass\n" * 500,
    ],
    ids=["operators", "calls", "brackets", "branches"],
)
def test_nested_as_people_do(text: str) -> None:
    assert [found.code for found in lint_source(HAZARD + text)] == ["IPL101"]


@pytest.mark.parametrize("text", ["print 'hello'", "for i in x\n    pass", "def f(:\n    pass", "%matplotlib inline"])
def test_a_syntax_error_is_where_python_says(text: str) -> None:
    found = unreadable(HAZARD + text)
    assert found.message.startswith("syntax error: ")
    assert found.site.span.row == 4


def test_python_2_is_told_apart() -> None:
    assert "Missing parentheses" in unreadable("print 'hello'").message


def test_no_warning_escapes(recwarn: pytest.WarningsRecorder) -> None:
    assert lint_source("x = '\\d'\nassert (x, 1)\n") == []
    assert not recwarn.list
