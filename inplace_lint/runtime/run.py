"""Runs a user's program under the recorder."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.runtime.child import Teller, followed, rank
from inplace_lint.runtime.program import NoProgramError
from inplace_lint.runtime.recorder.verdict import Judge
from inplace_lint.runtime.watch import STORIES, explain, refuse, shown, unsuppressed, without_our_frames


@dataclass(frozen=True, slots=True)
class Run:
    """How a program ended.

    Args:
        error: what it raised and did not catch, with a traceback of its own frames; None if nothing.
        diagnostics: what explains that error, and what PyTorch should have refused.
        unexplained: the error is about an in-place operation, and the recorder did not see the write.
    """

    error: BaseException | None
    diagnostics: list[Diagnostic]
    unexplained: bool


def run(program: Callable[[], None], strict: bool = False) -> Run:
    """Run a program under the recorder until it ends or raises.

    An error that somebody else will print, such as a thread or pytest, carries its story as a note.

    Args:
        program: what to run.
        strict: raise where PyTorch should have refused a write.

    Raises:
        NoProgramError: there is nothing to run.
    """
    found: dict[tuple[int, str], list[Diagnostic]] = {}

    def note(error: RuntimeError, diagnostics: Sequence[Diagnostic]) -> None:
        found[id(error), str(error)] = list(diagnostics)
        if sys.version_info >= (3, 11):  # where nothing can be added to an error, the report must do
            explain(error, diagnostics, rank())

    tell, own = Teller(), os.getpid()

    def silent(diagnostics: Sequence[Diagnostic]) -> None:
        if os.getpid() != own:  # a copy of this process, which never returns to here
            tell(diagnostics)

    judge = Judge(note, refuse if strict else silent)
    ended: BaseException | None = None
    try:
        with followed(strict), judge.recorder:
            program()
    except NoProgramError:
        raise
    except BaseException as error:
        without_our_frames(error)
        _without_story(error)
        ended = error
    told = _of(ended, found)
    return Run(ended, shown([*(told or ()), *unsuppressed(judge.silent.values())]), told == [])


def _without_story(error: BaseException) -> None:
    """Take back the notes of an error that came up to here: its story is told before it."""
    for each in _led_to(error):
        if stories := getattr(each, STORIES, ()):
            notes = vars(each)["__notes__"]
            notes[:] = [note for note in notes if note not in stories]


def _of(error: BaseException | None, found: dict[tuple[int, str], list[Diagnostic]]) -> list[Diagnostic] | None:
    """What was said of an error, or of one that led to it; None if nothing was."""
    told = (found[id(each), str(each)] for each in _led_to(error) if (id(each), str(each)) in found)
    return next(told, None)


def _led_to(error: BaseException | None) -> Iterator[BaseException]:
    """An error, and those that led to it."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
