"""Runs a user's program under the recorder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.runtime.program import NoProgramError
from inplace_lint.runtime.recorder.verdict import Judge
from inplace_lint.runtime.watch import shown, unsuppressed, without_our_frames


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


def run(program: Callable[[], None]) -> Run:
    """Run a program under the recorder until it ends or raises.

    Raises:
        NoProgramError: there is nothing to run.
    """
    found: dict[tuple[int, str], list[Diagnostic]] = {}
    judge = Judge(lambda error, diagnostics: found.__setitem__((id(error), str(error)), list(diagnostics)))
    ended: BaseException | None = None
    try:
        with judge.recorder:
            program()
    except NoProgramError:
        raise
    except BaseException as error:
        without_our_frames(error)
        ended = error
    told = _of(ended, found)
    return Run(ended, shown([*(told or ()), *unsuppressed(judge.silent.values())]), told == [])


def _of(error: BaseException | None, found: dict[tuple[int, str], list[Diagnostic]]) -> list[Diagnostic] | None:
    """What was said of an error, or of one that led to it; None if nothing was."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if (id(error), str(error)) in found:
            return found[id(error), str(error)]
        error = error.__cause__ or error.__context__
    return None
