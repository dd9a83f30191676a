"""What is known of the tensors in what is open: made when the editor asks for it, and kept with the text."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from inplace_lint.knowledge.facts import Knowledge
from inplace_lint.server import answers
from inplace_lint.server.checks import Checks

# Whoever has asked once will ask again, after a pause. What takes longer to find out would hold up the next check.
# In seconds.
PAUSE = 1.0
SHORT = 0.25


@dataclass(frozen=True, slots=True)
class KnownText:
    """A text, and what is known in it."""

    text: str
    knowledge: Knowledge


@dataclass(frozen=True, slots=True)
class _Made:
    """Knowledge on its way, or made.

    Args:
        text: the text that it is about.
        round: the check after which it was asked for: a later one means that other files may have changed.
        knowledge: it; None if there is none.
    """

    text: str
    round: int
    knowledge: asyncio.Task[Knowledge | None]


class Knowing:
    """Has the worker find out what is known, behind the findings. It costs more than these: nothing is made for a
    document of which nobody has asked it.

    Args:
        checks: ask the worker.
        texts: gives the present texts of all open documents.
    """

    def __init__(self, checks: Checks, texts: Callable[[], Mapping[str, str]]) -> None:
        self._checks, self._texts = checks, texts
        self._made: dict[str, _Made] = {}
        self._soon: dict[str, asyncio.Task[None]] = {}
        self._short: set[str] = set()

    async def of(self, path: str) -> KnownText | None:
        """What is known in a document with its present text, once that is found out; None if nothing is."""
        while True:
            await self._checks.current(path)
            text = self._texts().get(path)
            if text is None:
                return None
            made = self._made.get(path)
            if made is None or (made.text, made.round) != (text, self._checks.rounds.get(path, 0)):
                if made is not None:
                    made.knowledge.cancel()
                asked = asyncio.ensure_future(self._found_out(path))
                made = self._made[path] = _Made(text, self._checks.rounds.get(path, 0), asked)
            # Shielded: others may wait for the same when one request is cancelled.
            await asyncio.wait([made.knowledge])
            if self._texts().get(path) == text and not made.knowledge.cancelled():
                knowledge = made.knowledge.result()
                return KnownText(text, knowledge) if knowledge is not None else None

    def edited(self, path: str) -> None:
        """Find out after a pause, before anybody asks, if that is a matter of moments."""
        if (soon := self._soon.pop(path, None)) is not None:
            soon.cancel()
        if path in self._short:
            self._soon[path] = asyncio.ensure_future(self._after_a_pause(path))

    async def _after_a_pause(self, path: str) -> None:
        await asyncio.sleep(PAUSE)
        with suppress(Exception):  # which whoever asks is told
            await self.of(path)

    async def _found_out(self, path: str) -> Knowledge | None:
        answer = await self._checks.ask(answers.knowledge, path)
        if answer is None:  # the worker died of it
            self._short.discard(path)
            return None
        found, took = answer
        (self._short.add if took < SHORT else self._short.discard)(path)
        return found

    def forget(self, path: str) -> None:
        """Let go of a document."""
        self._short.discard(path)
        self.edited(path)
        made = self._made.pop(path, None)
        if made is not None:
            made.knowledge.cancel()
