"""Progress of a long run on standard error, and its timings."""

from __future__ import annotations

import os
import sys
import time
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
_SLOWEST = 10
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
    """How long each phase took, and which files took longest."""
    spent = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in {**result.phases, **phases}.items())
    tell(f"{len(result.files)} file{'s' * (len(result.files) != 1)}: {spent}")
    if "analysis" not in result.phases:  # all is known from an earlier run
        return
    slowest = sorted(result.seconds.items(), key=lambda item: -item[1])[:_SLOWEST]
    for path, seconds in slowest:
        if seconds:
            tell(f"  {seconds:6.2f} s  {path}")
