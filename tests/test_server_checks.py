"""Which checks the language server has made, with a worker that only counts them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, cast

from inplace_lint.pipeline.session import Outcome
from inplace_lint.pipeline.worker import Unwanted, Worker
from inplace_lint.server.checks import BACKGROUND, Checks


class SlowWorker:
    """Notes what it is asked to check, and answers when it is told to."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Future[Any]]] = []
        self._hurried = False

    def hurry(self, on: bool) -> None:
        self._hurried = on

    def is_hurried(self) -> bool:
        return self._hurried

    def submit(self, _: Callable[..., Any], path: str, *__: object) -> Future[Any]:
        answer: Future[Any] = Future()
        self.asked.append((path, answer))
        return answer

    async def answer(self, number: int, given: Outcome | Exception) -> str:
        """Answer what was asked, once it was; the file that it is about."""
        while len(self.asked) < number:
            await asyncio.sleep(0)
        path, answer = self.asked[number - 1]
        if isinstance(given, Exception):
            answer.set_exception(given)
        else:
            answer.set_result(given)
        return path


def _nothing(*_: object) -> None:
    """A question."""


class Watched:
    """Checks of one document."""

    def __init__(self) -> None:
        self.worker = SlowWorker()
        self.texts = {"main.py": "x = 1\n"}
        self.warnings: list[str] = []
        self.checks = Checks(
            cast(Worker, self.worker), lambda: self.texts, lambda _: None, self.warnings.append, lambda: None
        )

    async def asked(self, path: str, patient: bool) -> asyncio.Future[Any]:
        """A question that the worker has begun with, or that waits."""
        question = asyncio.ensure_future(self.checks.ask(_nothing, path, patient=patient))
        await self.turns()
        return question

    async def turns(self) -> None:
        """Let everybody do what there is to do."""
        for _ in range(20):
            await asyncio.sleep(0)

    async def settled(self, waiting: Iterable[asyncio.Future[Any]]) -> int:
        """How many checks were made until all have their answers, and nothing is left to do."""
        await asyncio.gather(*waiting)
        await self.turns()
        return len(self.worker.asked)


async def _with(test: Callable[[Watched], Any]) -> None:
    watched = Watched()
    running = asyncio.ensure_future(watched.checks.run())
    try:
        await asyncio.wait_for(test(watched), 10)
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


def test_who_asks_during_a_check_waits_for_it() -> None:
    async def test(watched: Watched) -> None:
        watched.checks.want("main.py")
        while not watched.worker.asked:
            await asyncio.sleep(0)
        waiting = [asyncio.ensure_future(watched.checks.current("main.py")) for _ in range(2)]
        await asyncio.sleep(0)
        await watched.worker.answer(1, Outcome({"main.py": ()}))
        assert await watched.settled(waiting) == 1

    asyncio.run(_with(test))


def test_a_text_that_changes_during_its_check_is_checked_again() -> None:
    async def test(watched: Watched) -> None:
        waiting = asyncio.ensure_future(watched.checks.current("main.py"))
        while not watched.worker.asked:
            await asyncio.sleep(0)
        watched.texts["main.py"] = "x = 2\n"
        await watched.worker.answer(1, Outcome({"main.py": ()}))
        await watched.worker.answer(2, Outcome({"main.py": ()}))
        assert await watched.settled([waiting]) == 2
        assert watched.checks.known["main.py"].text == "x = 2\n"

    asyncio.run(_with(test))


def test_settings_that_change_during_the_first_check_are_in_force_after_it() -> None:
    async def test(watched: Watched) -> None:
        waiting = asyncio.ensure_future(watched.checks.current("main.py"))
        while not watched.worker.asked:
            await asyncio.sleep(0)
        watched.checks.forget()
        await watched.worker.answer(1, Outcome({"main.py": ()}))
        await watched.worker.answer(2, Outcome({"main.py": ()}))
        assert await watched.settled([waiting]) == 2

    asyncio.run(_with(test))


def test_a_check_that_fails_is_told_and_the_next_one_is_made() -> None:
    async def test(watched: Watched) -> None:
        waiting = asyncio.ensure_future(watched.checks.current("main.py"))
        await watched.worker.answer(1, OSError("no space left"))
        await watched.settled([waiting])
        assert watched.warnings == ["inplace-lint: main.py could not be checked: OSError: no space left"]
        watched.texts["main.py"] = "x = 2\n"
        again = asyncio.ensure_future(watched.checks.current("main.py"))
        await watched.worker.answer(2, Outcome({"main.py": ()}))
        assert await watched.settled([again]) == 2

    asyncio.run(_with(test))


def test_a_check_stops_patient_work_which_is_done_after_it() -> None:
    async def test(watched: Watched) -> None:
        question = await watched.asked("main.py", patient=True)
        watched.checks.want("main.py", BACKGROUND)
        await watched.turns()
        assert not watched.worker.is_hurried()
        watched.checks.want("main.py", after=0.05)
        await watched.turns()
        assert not watched.worker.is_hurried()  # it is not due yet
        await asyncio.sleep(0.1)
        assert watched.worker.is_hurried()
        await watched.worker.answer(1, Unwanted())
        await watched.worker.answer(2, Outcome({"main.py": ()}))
        await watched.worker.answer(3, Outcome())
        assert await watched.settled([question]) == 3
        assert not watched.worker.is_hurried()

    asyncio.run(_with(test))


def test_questions_stop_patient_work_unless_they_are_patient_themselves() -> None:
    async def test(watched: Watched) -> None:
        first = await watched.asked("main.py", patient=True)
        second = await watched.asked("other.py", patient=True)
        assert not watched.worker.is_hurried()
        third = await watched.asked("third.py", patient=False)
        assert watched.worker.is_hurried()
        await watched.worker.answer(1, Unwanted())
        assert await watched.worker.answer(2, Outcome()) == "third.py"
        assert await watched.worker.answer(3, Outcome()) == "other.py"
        assert await watched.worker.answer(4, Outcome()) == "main.py"
        assert await watched.settled([first, second, third]) == 4

    asyncio.run(_with(test))


def test_work_that_nobody_waits_for_is_stopped() -> None:
    async def test(watched: Watched) -> None:
        question = await watched.asked("main.py", patient=True)
        question.cancel()
        await watched.turns()
        assert watched.worker.is_hurried()
        await watched.worker.answer(1, Unwanted())
        await watched.turns()
        assert len(watched.worker.asked) == 1

    asyncio.run(_with(test))
