"""For processes that are sent a signal, whoever started the tests."""

from __future__ import annotations

import signal


def heed_signals() -> None:
    """To call in a new process before its program: a shell has what it starts in the background ignore Ctrl-C."""
    for name in ("SIGINT", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
