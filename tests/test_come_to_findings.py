"""Who calls a function that shows something comes to where that shows it, though its paths are few."""

from __future__ import annotations

import pytest

from inplace_lint import lint_source
from inplace_lint.interpret.analysis import analyze

TEXT = """
import torch


def _scaled(x, n):
    y = torch.sigmoid(x)
    if n == 1:
        return y
    if n == 2:
        return y + 1
    if n == 3:
        return y + 2
    y.mul_(2)
    return y


def scaled(x):
    return _scaled({given}, x.size(-1))
"""


@pytest.mark.parametrize(("given", "found"), [("x", ["IPL202"]), ("x.detach()", [])])
def test_callers_with_few_paths(given: str, found: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analyze, "MOST_STEPS_IN_FILE", 0)
    monkeypatch.setattr(analyze, "SHORT_PATH", 0)
    assert [each.code for each in lint_source(TEXT.format(given=given))] == found


def test_who_does_not_come_there_refutes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analyze, "MOST_STEPS_IN_FILE", 0)
    monkeypatch.setattr(analyze, "SHORT_PATH", 0)
    monkeypatch.setattr(analyze, "come_to_findings", lambda *_: None)
    assert [each.code for each in lint_source(TEXT.format(given="x.exp()"))] == ["IPL202"]


CHANGING = """
import torch


def moved(x: torch.Tensor):
    low = x.detach().min()
    return x.sub_(low)


def placed(x: torch.Tensor, n):
    if n == 1:
        return x
    if n == 2:
        return x + 1
    if n == 3:
        return x + 2
    y = moved({given})
    return x * y
"""


@pytest.mark.parametrize(("given", "found"), [("x.detach()", ["IPL305"]), ("x.clone()", [])])
def test_callers_with_few_paths_of_what_changes_its_argument(
    given: str, found: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analyze, "MOST_STEPS_IN_FILE", 10)
    monkeypatch.setattr(analyze, "SHORT_PATH", 0)
    assert [each.code for each in lint_source(CHANGING.format(given=given))] == found


OF_ANOTHER = """
import torch


def _scaled(x, near):
    y = x - 1
    z = y ** 2
    if near:
        y = torch.stack([y[0], y[1]])
    y.mul_(2)
    return y + z


def scaled(x):
    return _scaled(torch.sigmoid(x), {near})
"""


@pytest.mark.parametrize(("near", "found"), [("True", ["IPL201"]), ("False", ["IPL201"])])
def test_who_writes_what_was_not_saved_refutes_nothing(near: str, found: list[str]) -> None:
    assert [each.code for each in lint_source(OF_ANOTHER.format(near=near))] == found
