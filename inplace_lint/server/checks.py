"""Which documents to check and when: one at a time, the newest text only, what is being edited first."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.pipeline.session import Outcome, Session
from inplace_lint.pipeline.worker import Unwanted, Worker

# Between the last key and the check.
DEBOUNCE = 0.15

_Result = TypeVar("_Result")

EDITED, DEPENDENT, BACKGROUND = range(3)
"""Why a file is to be checked; what is smaller goes first."""


@dataclass(frozen=True, slots=True)
class Known:
    """What was found in a file.

    Args:
        text: the text that was checked; None for that on disk.
        found: the findings.
        number: another one whenever something else was found.
    """

    text: str | None
    found: tuple[Diagnostic, ...]
    number: int


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be asked of the session, about a file; if it is patient, it is asked again after all that is not."""

    path: str
    work: Callable[..., Any]
    rest: tuple[object, ...]
    answer: asyncio.Future[Any]
    patient: bool


class Checks:
    """Has files checked by a worker, and asks it questions about them: one thing at a time.

    Args:
        worker: does it.
        texts: gives the present texts of all open documents.
        tell: is told a file whose findings are new.
        warn: is told what the user should know.
        renew: starts the worker anew.
    """

    def __init__(
        self,
        worker: Worker,
        texts: Callable[[], Mapping[str, str]],
        tell: Callable[[str], None],
        warn: Callable[[str], None],
        renew: Callable[[], None],
    ) -> None:
        self.worker = worker
        self.known: dict[str, Known] = {}
        self.rounds: dict[str, int] = {}
        """By path, another number whenever the file was checked."""
        self._texts, self._tell, self._warn, self._renew = texts, tell, warn, renew
        self._told: dict[str, str] = {}
        self._looked: dict[str, str | None] = {}
        self._due: dict[str, tuple[int, float, int]] = {}
        self._checked = ""  # at present
        self._count = 0
        self._questions: list[Question] = []
        self._wake = asyncio.Event()
        self._waiting: dict[str, list[asyncio.Future[None]]] = {}
        self._problem = ""

    def want(self, path: str, why: int = EDITED, after: float = 0.0) -> None:
        """Have a file checked, some seconds from now."""
        self._count += 1
        before = self._due.get(path)
        self._due[path] = (min(why, before[0]) if before else why, _now() + after, -self._count)
        self._wake.set()

    def want_all(self, paths: Iterable[str], why: int = DEPENDENT) -> None:
        """Have some files checked anew."""
        for path in paths:
            self._looked.pop(path, None)
            self.want(path, why)

    def is_current(self, path: str) -> bool:
        """Whether what is known of a file is about its present text, or the last text that was Python."""
        return path not in self._due and path in self._looked and self._looked[path] == self._texts().get(path)

    async def current(self, path: str, why: int = EDITED) -> Known | None:
        """What is known of a file once its present text has been checked."""
        while not self.is_current(path):
            if path not in self._due and path != self._checked:
                self.want(path, why)
            waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.setdefault(path, []).append(waiting)
            await waiting
        return self.known.get(path)

    async def ask(
        self, work: Callable[..., _Result], path: str, *rest: object, patient: bool = False
    ) -> _Result | None:
        """The session's answer about a file, after all checks that are due of what is edited; None if it died of it.

        Work that is patient is stopped for what is not, and when nobody waits for it any more.
        """
        answer: asyncio.Future[_Result | None] = asyncio.get_running_loop().create_future()
        answer.add_done_callback(lambda _: self._wake.set())
        self._questions.append(Question(path, work, rest, answer, patient))
        self._wake.set()
        return await answer

    def is_awaited(self, path: str) -> bool:
        """Whether somebody waits for a file."""
        return bool(self._waiting.get(path))

    def forget(self) -> None:
        """Have everything checked anew that was checked, or is at present."""
        self.want_all({*self._looked, *filter(None, [self._checked])})

    async def run(self) -> None:
        """Check what is wanted and answer what is asked, for ever."""
        while True:
            path = await self._next()
            if path is None:
                question = min(self._questions, key=lambda each: each.patient)
                self._questions.remove(question)
                await self._answer(question)
                continue
            del self._due[path]
            self._checked = path
            await self._check(path)
            self._checked = ""
            for waiting in self._waiting.pop(path, ()):
                if not waiting.done():
                    waiting.set_result(None)

    async def closed(self, path: str) -> None:
        """Let go of a document."""
        self._due.pop(path, None)
        self._looked.pop(path, None)
        outcome = await self.ask(Session.drop, path)
        if path in self._texts():  # it was opened again, and perhaps checked before the session let go of it
            self.want_all([path, *(outcome.stale & self._looked.keys() if outcome is not None else ())], EDITED)
            return
        if outcome is not None:
            self._take(path, None, outcome)
        if self.known.pop(path, None) is not None:
            self._tell(path)

    async def _next(self) -> str | None:
        """The file to check next; None if a question comes first."""
        while True:
            self._wake.clear()
            first = self._ripe()
            if self._questions and (first is None or self._due[first][0] == BACKGROUND):
                return None
            if first is not None:
                return first
            await self._rest()

    def _ripe(self) -> str | None:
        """The file that is to be checked first of those that are due now."""
        ripe = [path for path, (_, when, _) in self._due.items() if when <= _now()]
        return min(ripe, key=lambda path: (self._due[path][0], self._due[path][2]), default=None)

    async def _rest(self) -> None:
        """Wait for something new, or until a file is due."""
        later = (when for _, when, _ in self._due.values() if when > _now())
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._wake.wait(), max(min(later, default=_now() + 3600) - _now(), 0.001))

    async def _check(self, path: str) -> None:
        text = self._texts().get(path)
        try:
            outcome = await self._submitted(Session.check, path)
        except BrokenExecutor:
            self._restart(path)
            outcome = Outcome(unread=True)
        except Exception as error:  # all other files can be checked still
            self._warn(f"inplace-lint: {path} could not be checked: {type(error).__name__}: {error}")
            outcome = Outcome(unread=True)
        self._looked[path] = text
        self._count += 1
        self.rounds[path] = self._count
        if text == self._texts().get(path):
            self._take(path, text, outcome)
        else:  # the result is stale, but who imports the file is to be checked with the newest text all the same
            self.want_all(outcome.stale & self._looked.keys())
            if path not in self._due:
                self.want(path)

    async def _answer(self, question: Question) -> None:
        if question.answer.cancelled():
            return
        self.worker.hurry(False)
        working = asyncio.ensure_future(self._submitted(question.work, question.path, *question.rest))
        if question.patient:
            await self._watch(question, working)
        try:
            answer = await working
        except Unwanted:
            self._questions.append(question)
            return
        except BrokenExecutor:
            self._restart(question.path)
            answer = None
        except Exception as error:  # is whose question it was
            if not question.answer.cancelled():
                question.answer.set_exception(error)
            return
        if not question.answer.cancelled():
            question.answer.set_result(answer)

    async def _watch(self, question: Question, working: asyncio.Future[Any]) -> None:
        """Stop the work for a question once something else comes first, or nobody waits for it."""
        working.add_done_callback(lambda _: self._wake.set())
        while not working.done():
            self._wake.clear()
            first = self._ripe()
            before = first is not None and self._due[first][0] != BACKGROUND
            if before or question.answer.cancelled() or not all(each.patient for each in self._questions):
                self.worker.hurry(True)
                return
            await self._rest()

    async def _submitted(self, work: Callable[..., _Result], path: str, *rest: object) -> _Result:
        """Have the session do something, with all texts that it has not been told."""
        texts = self._texts()
        changes: dict[str, str | None] = {p: text for p, text in texts.items() if self._told.get(p) != text}
        changes.update(dict.fromkeys(self._told.keys() - texts.keys()))
        future = self.worker.submit(work, path, changes, *rest)
        self._told = dict(texts)
        return await asyncio.wrap_future(future)

    def _restart(self, path: str) -> None:
        """Start anew with all that was known, but not at once with the file at which the worker died."""
        self._warn(f"inplace-lint: the process that checks files died at {path}, and was started anew")
        self._renew()
        self._told = {}
        self.want_all([each for each in self._looked if each != path])

    def _take(self, path: str, text: str | None, outcome: Outcome) -> None:
        if outcome.problem and outcome.problem != self._problem:
            self._warn(f"inplace-lint: {outcome.problem}")
        self._problem = outcome.problem
        for where, found in outcome.found.items():
            if where != path and where in self._due:
                continue  # it has been edited since
            before = self.known.get(where)
            about = text if where == path else self._told.get(where)
            changed = before is None or before.found != found
            self._count += changed
            number = self._count if before is None or changed else before.number
            self.known[where] = Known(about, found, number)
            if changed or where == path:
                self._tell(where)
        self.want_all(outcome.stale & self._looked.keys())


def _now() -> float:
    return asyncio.get_running_loop().time()
