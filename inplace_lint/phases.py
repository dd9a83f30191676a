"""How much processor time the phases of checking a file take.

What happens within another phase counts there, and not outside. All that a fix is tried with counts for the fixes.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from time import thread_time
from typing import Literal

Phase = Literal["parse", "outline", "reach", "lower", "interpret", "judge", "fix"]


class _Watch(threading.local):
    """What has been measured in a thread, and what is under way.

    `busiest` has the seconds of each part of a phase that has a name.
    """

    def __init__(self) -> None:
        self.spent: dict[str, float] = defaultdict(float)
        self.busiest: dict[str, float] = defaultdict(float)
        self.under_way: list[tuple[str, str]] = []
        self.since = 0.0

    def note(self) -> None:
        """Add the time since the last change to the phase that is under way."""
        now = thread_time()
        if self.under_way:
            phase, part = self.under_way[-1]
            self.spent[phase] += now - self.since
            if part:
                self.busiest[part] += now - self.since
        self.since = now


_watch = _Watch()


@contextmanager
def within(phase: Phase, part: str = "") -> Iterator[None]:
    """Measure what is done as a phase, perhaps as a part of it that has a name."""
    if _watch.under_way and _watch.under_way[-1][0] == "fix":
        yield
        return
    _watch.note()
    _watch.under_way.append((phase, part))
    try:
        yield
    finally:
        _watch.note()
        _watch.under_way.pop()


def begin() -> None:
    """Forget what was measured in this thread."""
    _watch.spent.clear()
    _watch.busiest.clear()


def taken() -> tuple[Mapping[str, float], str]:
    """The seconds of each phase since the beginning, and the part that took longest."""
    return dict(_watch.spent), max(_watch.busiest, key=lambda part: _watch.busiest[part], default="")
