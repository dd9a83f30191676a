"""Progress of a long run on standard error, and its timings."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import click

from inplace_lint.cli.printing import tell, width

if TYPE_CHECKING:
    from inplace_lint.pipeline.lint_paths import Progress
    from inplace_lint.pipeline.result import Result

# Whoever waits less need not be told.
_SECONDS_BEFORE_A_BAR = 1.0
_SLOWEST = 5
_LABEL = "Checking"
# What stands around the bar: label, brackets, per cent, hours to go.
_AROUND = len(f"{_LABEL}  [" + "]  100%  00:00:00")
_LONGEST = 36


@contextmanager
def bar(shown: bool) -> Iterator[Progress | None]:
    """A progress bar, if standard error is a terminal, and once a run takes longer than a second."""
    if not shown or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield None
        return
    began, done_before = time.monotonic(), 0
    with ExitStack() as stack:
        made: list[click._termui_impl.ProgressBar[int]] = []

        def progress(done: int, total: int) -> None:
            nonlocal done_before
            if not made and time.monotonic() - began > _SECONDS_BEFORE_A_BAR:
                room = max(1, min(_LONGEST, width() - 1 - _AROUND))
                shown_bar = click.progressbar(length=total, label=_LABEL, width=room, file=sys.stderr)
                made.append(stack.enter_context(shown_bar))
            for each in made:
                each.update(done - done_before)
                done_before = done

        yield progress


def tell_timings(result: Result, phases: Mapping[str, float]) -> None:
    """How long each phase took."""
    spent = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in {**result.phases, **phases}.items())
    tell(f"{len(result.files)} file{'s' * (len(result.files) != 1)}: {spent}")
    total = Counter[str]()
    for each, _ in result.spent.values():
        total.update(each)
    if total:
        tell(f"processor time of the analysis: {_listed(total)}")


def tell_slowest(result: Result, least: float) -> None:
    """Which files took longest, at least so many seconds, and what for."""
    if "analysis" not in result.phases:  # all is known from an earlier run
        return
    for path, seconds in sorted(result.seconds.items(), key=lambda item: -item[1])[:_SLOWEST]:
        if seconds > least:
            taken, busiest = result.spent.get(path, ({}, ""))
            most = {phase: taken[phase] for phase in taken if 10 * taken[phase] > sum(taken.values())}
            told = f"{_listed(most)}; mostly {busiest}" if "interpret" in most and busiest else _listed(most)
            tell(f"  {seconds:6.2f} s  {path}{f' ({told})' * bool(told)}")


def _listed(spent: Mapping[str, float]) -> str:
    return ", ".join(f"{phase} {spent[phase]:.2f} s" for phase in sorted(spent, key=lambda phase: -spent[phase]))
