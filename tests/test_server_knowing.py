"""When the language server finds out what is known of tensors, with checks that only count what they are asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, cast

import pytest

from inplace_lint.knowledge.facts import Knowledge
from inplace_lint.pipeline.worker import Unwanted, Worker
from inplace_lint.server import answers
from inplace_lint.server.checks import Checks
from inplace_lint.server.knowing import Knowing

NOTHING = cast(Knowledge, object())


class CountingChecks:
    """Answers when it is told to."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.stopped: list[str] = []
        self.rounds: dict[str, int] = {}
        self.answering = asyncio.Event()

    async def current(self, _: str) -> None:
        return None

    async def ask(self, _: object, path: str, *, patient: bool) -> Knowledge:
        assert patient
        self.asked.append(path)
        try:
            await self.answering.wait()
        except asyncio.CancelledError:
            self.stopped.append(path)
            raise
        return NOTHING


class Open:
    """Two documents that are open."""

    def __init__(self) -> None:
        self.checks = CountingChecks()
        self.texts = {"main.py": "x = 1\n", "lib.py": "x = 2\n"}
        self.knowing = Knowing(cast(Checks, self.checks), lambda: self.texts)

    def edit(self, text: str, pause: float = 0.0) -> None:
        self.texts["main.py"] = text
        self.knowing.ahead("main.py", pause)

    async def ask(self, path: str) -> asyncio.Future[Any]:
        asked = asyncio.ensure_future(self.knowing.of(path))
        await asyncio.sleep(0.02)
        return asked


def _run(test: Callable[[Open], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        await test(Open())

    asyncio.run(run())


def test_a_worker_that_is_hurried_stops(tmp_path: Path) -> None:
    path = str(tmp_path / "main.py")
    worker = Worker((), {})
    try:
        worker.hurry(True)
        with pytest.raises(Unwanted):
            worker.submit(answers.knowledge, path, {path: "import torch\nx = torch.randn(3)\n"}).result(60)
        worker.hurry(False)
        known = worker.submit(answers.knowledge, path, {}).result(60)
        assert known is not None
        assert [each.text for each in known.known.values()] == ["x", "torch.randn(...)"]
    finally:
        worker.end()


def test_edits_are_followed_by_one_piece_of_work_which_whoever_asks_later_gets() -> None:
    async def test(documents: Open) -> None:
        documents.checks.answering.set()
        for number in range(3):
            documents.edit(f"x = {number}\n", 0.05)
            await asyncio.sleep(0.01)
        assert documents.checks.asked == []
        await asyncio.sleep(0.1)
        assert documents.checks.asked == ["main.py"]
        known = await documents.knowing.of("main.py")
        assert known is not None
        assert known.text == "x = 2\n"
        assert documents.checks.asked == ["main.py"]

    _run(test)


def test_an_edit_stops_the_work_and_who_waits_gets_what_is_known_of_the_new_text() -> None:
    async def test(documents: Open) -> None:
        documents.edit("x = 3\n")
        await asyncio.sleep(0.02)
        asked = await documents.ask("main.py")
        assert documents.checks.asked == ["main.py"]
        documents.edit("x = 4\n", 60.0)
        await asyncio.sleep(0.02)
        assert documents.checks.stopped == ["main.py"]
        documents.checks.answering.set()
        assert (await asked).text == "x = 4\n"
        assert documents.checks.asked == ["main.py"] * 2

    _run(test)


def test_who_asks_about_another_document_need_not_wait_for_what_nobody_asked_for() -> None:
    async def test(documents: Open) -> None:
        documents.edit("x = 3\n")
        await asyncio.sleep(0.02)
        asked = await documents.ask("lib.py")
        assert documents.checks.stopped == ["main.py"]
        documents.knowing.forget("main.py")
        documents.checks.answering.set()
        assert (await asked).text == "x = 2\n"

    _run(test)


def test_only_some_documents_keep_what_is_known() -> None:
    async def test(documents: Open) -> None:
        documents.checks.answering.set()
        names = [f"{number}.py" for number in range(12)]
        documents.texts.update(dict.fromkeys(names, "x = 1\n"))
        for name in [*names, *names[-8:]]:
            await documents.knowing.of(name)
        assert documents.checks.asked == names
        await documents.knowing.of(names[0])
        assert documents.checks.asked == [*names, names[0]]

    _run(test)
