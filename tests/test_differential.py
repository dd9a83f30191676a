"""Random programs on PyTorch and on the abstract PyTorch: the same verdict, the same writes, the same saves.

`INPLACE_LINT_PROGRAMS=10000 python -m pytest tests/test_differential.py` tries as many new ones.
"""

from __future__ import annotations

import os
from dataclasses import replace

import pytest
from growth import HEADER
from hypothesis import HealthCheck, given, settings
from programs import programs
from structured_programs import structured_programs
from verdicts import Verdict, abstract_events, abstract_verdict, interpreted, real_verdict, record

ASKED = os.environ.get("INPLACE_LINT_PROGRAMS")

BY_HAND = {
    "a result of chunk is used after its base was written": """
        h = torch.randn(4, 4, requires_grad=True) * 1
        a, b = h.chunk(2)
        h.add_(1)
        c = a * 2
    """,
    "a result of chunk is used after its base was written unseen": """
        h = torch.randn(4, 4, requires_grad=True) * 1
        a, b = h.chunk(2)
        with torch.no_grad():
            b.add_(1)
        c = a * 2
    """,
    "a view made while gradients were off is used after its base was written": """
        h = torch.randn(4, 4, requires_grad=True) * 1
        with torch.no_grad():
            v = h[0]
        h.add_(1)
        c = v * 2
    """,
    "a view is detached in place": """
        h = torch.randn(4, 4, requires_grad=True) * 1
        v = h[0]
        v.detach_()
    """,
    "an inference tensor is saved": """
        x = torch.randn(4, 4, requires_grad=True)
        with torch.inference_mode():
            c = torch.rand(4, 4) * 1
        d = x * c
    """,
    "the view of a base that got its history elsewhere is written": """
        w = torch.rand(4, 4, requires_grad=True)
        buffer = torch.zeros(4, 4)
        v = buffer.view(4, 4)
        v[:] += w
    """,
    "backward meets a saved view that cannot catch up": """
        h = torch.randn(4, 4, requires_grad=True) * 1
        a, b = h.chunk(2)
        c = a.exp() * a
        h.add_(1)
        c.sum().backward()
    """,
    "only a part of the graph is run": """
        x = torch.randn(4, 4, requires_grad=True)
        h = x * 1
        s = h.sigmoid()
        t = s * 2
        s.add_(1)
        g = torch.autograd.grad(t.sum(), s, allow_unused=True)
    """,
}
"""Programs that raise for a reason that no rule reports yet, and others that were once told wrong."""


def _verdicts(text: str) -> tuple[Verdict | None, Verdict]:
    real = real_verdict(text)
    if real is not None and real.kind == "stale":
        real = replace(real, blamed=record(text, real.steps)[1])
    return real, abstract_verdict(interpreted(text))


def compare(text: str, straight: bool = True) -> None:
    """Hold the two against each other; a program that fails for a reason of its own says nothing.

    Of a program that is not straight and raises, "the lines before that one" means nothing.
    """
    real, abstract = _verdicts(text)
    if real is None or (real.kind == "overlap" and abstract.kind != "overlap"):
        return  # Whether two views overlap depends on sizes: only a false claim is a disagreement.
    assert abstract.agrees(real), f"PyTorch: {real}\nabstract: {abstract}\n{text}"
    if not straight and real.line is not None:
        return
    seen, told = record(text, real.steps)[0], abstract_events(interpreted(text), real.line)
    names = seen.names & told.names
    for what in ("writes", "saves"):
        ours = {(line, name) for line, name in getattr(told, what) if name in names}
        theirs = {(line, name) for line, name in getattr(seen, what) if name in names}
        assert ours == theirs, f"{what}: PyTorch {theirs - ours}, abstract {ours - theirs}\n{text}"
    if real.line is None:
        assert told.requires_grad & names == seen.requires_grad & names, text


MANY = settings(
    max_examples=int(ASKED or 300),
    derandomize=ASKED is None,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.filterwarnings("ignore")
@MANY
@given(text=programs())
def test_random_programs(text: str) -> None:
    compare(text)


@pytest.mark.filterwarnings("ignore")
@MANY
@given(text=structured_programs())
def test_random_structured_programs(text: str) -> None:
    compare(text, straight=False)


def _text(program: str) -> str:
    return HEADER + "\n".join(line[8:] for line in program.splitlines()[1:]) + "\n"


@pytest.mark.parametrize("name", BY_HAND)
def test_programs_by_hand(name: str) -> None:
    compare(_text(BY_HAND[name]))
