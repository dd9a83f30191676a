"""When the language server finds out what is known of tensors, with checks that only count what they are asked."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest

from inplace_lint.knowledge.facts import Knowledge
from inplace_lint.server import knowing
from inplace_lint.server.checks import Checks
from inplace_lint.server.knowing import Knowing

NOTHING = cast(Knowledge, object())


class CountingChecks:
    """Answers at once."""

    def __init__(self) -> None:
        self.asked = 0
        self.rounds: dict[str, int] = {}

    async def current(self, _: str) -> None:
        return None

    async def ask(self, *_: object) -> tuple[Knowledge, float]:
        self.asked += 1
        return NOTHING, 1.0


async def _asked_after_edits(first: bool) -> int:
    """How often the worker is asked for three edits in a row and a pause, if it was `first` asked by a pointer."""
    checks, texts = CountingChecks(), {"main.py": "x = 1\n"}
    made = Knowing(cast(Checks, checks), lambda: texts)
    if first:
        await made.of("main.py")
    asked = checks.asked
    for number in range(3):
        texts["main.py"] = f"x = {number}\n"
        made.edited("main.py")
        await asyncio.sleep(0)
    await asyncio.sleep(2 * knowing.PAUSE)
    before = checks.asked - asked
    known = await made.of("main.py")
    assert known is not None
    assert known.text == texts["main.py"]
    assert checks.asked - asked == 1
    return before


@pytest.mark.parametrize(
    ("limit", "first", "asked"), [(60.0, True, 1), (60.0, False, 0), (0.0, True, 0)], ids=["short", "unasked", "long"]
)
def test_what_is_known_is_found_out_in_a_pause(
    monkeypatch: pytest.MonkeyPatch, limit: float, first: bool, asked: int
) -> None:
    monkeypatch.setattr(knowing, "PAUSE", 0.2)
    monkeypatch.setattr(knowing, "SHORT", limit)
    assert asyncio.run(_asked_after_edits(first)) == asked
