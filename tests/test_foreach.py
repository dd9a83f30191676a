"""Ops on lists of tensors, one by one: what PyTorch keeps of their arguments for backward, and what the linter says."""

from __future__ import annotations

import pytest
import torch
from expectations import reported
from torch_oracle import Finished, Outcome, Raised, load, observe

from inplace_lint.pipeline.lint_file import lint_source

_OPS = sorted(name.removeprefix("_foreach_") for name in dir(torch) if name.startswith("_foreach_"))
_FORMS = ("[a]", "[a], 2.0", "[a], [2.0]", "[a], [b]", "[a], [b], 0.3", "[a], [b], [c]", "[a], [b], [c], 2.0")
_PROGRAM = """
import torch


def program():
    x = torch.full((3,), 0.5, requires_grad=True)
    a, b, c = x * 1.0, x * 1.5, x * 0.5
    results = torch._foreach_{op}({arguments})
    with torch.no_grad():
        {written}.add_(0.01)
    results[0].sum().backward()


program()
"""


def _outcome(text: str) -> Outcome:
    return observe(load(text.replace("\n\nprogram()", ""), "program.py")["program"], "program.py")


def _programs(op: str) -> list[str]:
    """A program for each argument, and for the result, written between an op and its backward."""
    programs = []
    for arguments in _FORMS:
        try:
            untouched = _outcome(_PROGRAM.format(op=op, arguments=arguments, written="x.detach().clone()"))
        except (TypeError, ValueError):
            continue
        if isinstance(untouched, Finished):  # there is such an overload, and it is differentiable
            named = [name for name in "abc" if f"[{name}]" in arguments]
            programs += [_PROGRAM.format(op=op, arguments=arguments, written=each) for each in (*named, "results[0]")]
    return programs


@pytest.mark.parametrize("op", _OPS)
def test_pytorch_agrees(op: str) -> None:
    for text in _programs(op):
        outcome = _outcome(text)
        raises = isinstance(outcome, Raised) and outcome.kind == "backward"
        assert bool(reported(lint_source(text))) == raises, text


def test_most_ops_are_compared() -> None:
    assert sum(bool(_programs(op)) for op in _OPS) > 0.9 * len(_OPS)


def test_a_leaf_that_may_require_grad_is_told() -> None:
    """The history that the write itself gives it excuses nothing."""
    text = "import torch\n\n\ndef doubled(flag):\n    w = torch.ones(3)\n    w.requires_grad_(flag)\n    {write}\n"
    for write in ("torch._foreach_mul_([w], 2.0)", "w.mul_(2.0)"):
        found = lint_source(text.format(write=write), "a.py")
        assert [(each.code, each.severity, each.site.span.row) for each in found] == [("IPL101", "warning", 7)]
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        torch._foreach_mul_([torch.ones(3, requires_grad=True)], 2.0)
