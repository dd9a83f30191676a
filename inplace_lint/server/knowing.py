"""What is known of the tensors in what is open: made when the editor asks for it, and kept with the text."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from inplace_lint.knowledge.facts import Knowledge
from inplace_lint.server import answers
from inplace_lint.server.checks import Checks

# Between the last key and the work that nobody has asked for yet. In seconds.
PAUSE = 0.3
# So many documents keep what is known.
_MOST_KEPT = 8


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
    """Has the worker find out what is known, behind the findings: when somebody asks, and before that for the document
    which the user has turned to last.

    Args:
        checks: ask the worker.
        texts: gives the present texts of all open documents.
    """

    def __init__(self, checks: Checks, texts: Callable[[], Mapping[str, str]]) -> None:
        self._checks, self._texts = checks, texts
        self._made: dict[str, _Made] = {}
        self._ahead: tuple[str, asyncio.Task[None]] | None = None

    async def of(self, path: str) -> KnownText | None:
        """What is known in a document with its present text, once that is found out; None if nothing is."""
        if self._ahead is not None and self._ahead[0] != path:
            self._stop()
        return await self._of(path)

    def ahead(self, path: str, after: float = 0.0) -> None:
        """Find out some seconds from now, before anybody asks, unless something else happens."""
        self._stop()
        self._cancel(path)
        self._ahead = path, asyncio.ensure_future(self._later(path, after))

    def forget(self, path: str) -> None:
        """Let go of a document."""
        if self._ahead is not None and self._ahead[0] == path:
            self._stop()
        self._cancel(path)
        self._made.pop(path, None)

    async def _later(self, path: str, after: float) -> None:
        await asyncio.sleep(after)
        with suppress(Exception):  # which whoever asks is told
            await self._of(path)

    def _stop(self) -> None:
        if self._ahead is not None:
            path, work = self._ahead
            self._ahead = None
            work.cancel()
            self._cancel(path)

    def _cancel(self, path: str) -> None:
        if path in self._made:
            self._made[path].knowledge.cancel()

    async def _of(self, path: str) -> KnownText | None:
        while True:
            await self._checks.current(path)
            text = self._texts().get(path)
            if text is None:
                return None
            made = self._made.get(path)
            if made is None or made.knowledge.cancelled() or not self._is_present(path, made):
                made = self._begun(path, text)
            # Shielded: others may wait for the same when one request is cancelled.
            await asyncio.wait([made.knowledge])
            if self._texts().get(path) == text and not made.knowledge.cancelled():
                knowledge = made.knowledge.result()
                return KnownText(text, knowledge) if knowledge is not None else None

    def _is_present(self, path: str, made: _Made) -> bool:
        return (made.text, made.round) == (self._texts().get(path), self._checks.rounds.get(path, 0))

    def _begun(self, path: str, text: str) -> _Made:
        self._cancel(path)
        self._made.pop(path, None)
        for other in [*self._made][: 1 - _MOST_KEPT]:
            self._cancel(other)
            del self._made[other]
        asked = asyncio.ensure_future(self._checks.ask(answers.knowledge, path, patient=True))
        made = self._made[path] = _Made(text, self._checks.rounds.get(path, 0), asked)
        return made
