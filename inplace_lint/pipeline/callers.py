"""What calls in all files of a program say about findings that rest on assumptions."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from inplace_lint.findings.analysis import Doubt, Place
from inplace_lint.findings.given import Given, told_by_calls
from inplace_lint.pipeline.stack import on_deep_stack
from inplace_lint.project.reading import Load

if TYPE_CHECKING:
    from inplace_lint.interpret.analysis.called_elsewhere import CallsOfProgram


class Callers:
    """Asks who calls the functions of a program; of files that stay the same, what is known is kept.

    Nothing is read as long as nothing is doubtful.
    """

    def __init__(self, load: Load) -> None:
        self._load = load
        self._calls: CallsOfProgram | None = None

    def refuted(
        self, doubts: Collection[Doubt], ran: Collection[Place], given: Iterable[Given], paths: Iterable[str]
    ) -> Collection[Doubt]:
        """The doubtful findings that no call shows.

        Args:
            doubts: what they assume.
            ran: functions that need not be asked about.
            given: what parameters are given.
            paths: the files of the program.
        """
        # Late, since the analysis is slow to import.
        from inplace_lint.interpret.analysis.called_elsewhere import CallsOfProgram
        from inplace_lint.source.lower import lower

        calls = self._calls = self._calls or CallsOfProgram(lower)
        told = told_by_calls(given)
        asked = [doubt for doubt in doubts if calls.concern(doubt, told)]
        if not asked:
            return ()
        texts = {path: text for path in paths if (text := self._load(path)) is not None}
        return on_deep_stack(lambda: calls.refuted(asked, ran, told, texts))
