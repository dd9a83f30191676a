"""Watches real code run: which op saved what, which wrote it, and which backward reads it.

>>> from inplace_lint.runtime.recorder import Recorder
>>> with Recorder([listener]) as recorder:
...     loss = model(x).sum()
...     loss.backward()

A `Listener` receives each `Change` (a write) and `Keep` (a saved tensor) as it happens, each with
its `Place` in the user's program (`place.site`, `place.stack`). `EventLog` is one that makes events of
them, as rules see them; `verdict.Judge` is one that explains the errors of backward passes.
"""

from __future__ import annotations

from inplace_lint.runtime.recorder.frames import Place
from inplace_lint.runtime.recorder.log import EventLog
from inplace_lint.runtime.recorder.recorder import Listener, Recorder
from inplace_lint.runtime.recorder.records import Change, Keep, Layout

__all__ = ["Change", "EventLog", "Keep", "Layout", "Listener", "Place", "Recorder"]
