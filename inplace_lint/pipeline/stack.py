"""Runs work on a deep stack, with the settings of the process that reading and interpreting source need."""

from __future__ import annotations

import errno
import gc
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from typing import TypeVar

# Source can be nested deeply; the parser and the interpreter descend into it.
_STACK_BYTES = 256 * 1024 * 1024
_RECURSION_LIMIT = 20_000

_Result = TypeVar("_Result")


class NoThreadError(OSError):
    """The limits of this process leave no room for the work."""


def on_deep_stack(work: Callable[[], _Result]) -> _Result:
    """What `work` returns or raises, done in a thread with a deep stack; one at a time.

    Raises:
        NoThreadError: too little memory, or too few threads, are allowed for that.
    """
    outcome: list[_Result] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(work())
        except BaseException as error:
            failure.append(error)

    # One at a time: the interpreter keeps things for a whole file, and settings are those of the process.
    with _turn.lock, _settings():
        # A daemon, so that Ctrl-C does not wait for it.
        thread = threading.Thread(target=copy_context().run, args=(run,), daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            lack = f"no thread with a stack of {_STACK_BYTES >> 20} MB may be started; see `ulimit -v` and `ulimit -u`"
            raise NoThreadError(errno.EAGAIN, lack) from error
        thread.join()
        if failure:
            raise failure[0]
    return outcome[0]


class _Turn:
    """Whose turn it is among the threads of this process."""

    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        self.lock = threading.Lock()


_turn = _Turn()
if hasattr(os, "register_at_fork"):  # a child has no other threads, and the lock may be held by one
    os.register_at_fork(after_in_child=_turn.renew)


@contextmanager
def _settings() -> Iterator[None]:
    collecting, limit, stack = gc.isenabled(), sys.getrecursionlimit(), threading.stack_size()
    # Syntax trees are many small objects that all live to the end: collecting them is lost time.
    gc.disable()
    sys.setrecursionlimit(max(limit, _RECURSION_LIMIT))
    threading.stack_size(_STACK_BYTES)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python warns of escapes in the strings that it reads
            yield
    finally:
        threading.stack_size(stack)
        sys.setrecursionlimit(limit)
        if collecting:
            gc.collect(0)  # what the last file has left
            gc.enable()
