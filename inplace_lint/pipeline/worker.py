"""One process that checks files for an editor, so that the editor never waits for it."""

from __future__ import annotations

import gc
import multiprocessing
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from inplace_lint.pipeline.pool import begin_process

if TYPE_CHECKING:  # whoever starts a worker need not wait for the import of the analysis
    import ctypes

    from inplace_lint.pipeline.session import Session

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")

_sessions: list[Session] = []
_hurried: list[ctypes.c_byte] = []

# Not forked: the editor's side has threads, and need not have imported the analysis.
_CONTEXT = multiprocessing.get_context("spawn")

# To check this imports and builds all that a first check needs.
_FIRST = """import torch

x = torch.randn(3, requires_grad=True)
y = torch.sigmoid(x)
y.mul_(2)
y.sum().backward()
"""


class Unwanted(Exception):
    """Work was stopped, as the process is needed for something else."""


class Worker:
    """A process with a session. If it dies, its futures raise `BrokenExecutor`; then renew it.

    Args:
        folders, options: of the session.
    """

    def __init__(self, folders: Sequence[str], options: Mapping[str, object]) -> None:
        self._hurried = _CONTEXT.RawValue("b", 0)  # both processes see it
        self._executor = _started(folders, options, self._hurried)

    def submit(
        self, work: Callable[Concatenate[Session, _Given], _Result], *args: _Given.args, **named: _Given.kwargs
    ) -> Future[_Result]:
        """Do some work with the session, after all that was submitted before."""
        return self._executor.submit(_in_session, work, *args, **named)

    def hurry(self, on: bool) -> None:
        """Say that what the process is doing is to be stopped, if it can be; or that it is not."""
        self._hurried.value = int(on)

    def renew(self, folders: Sequence[str], options: Mapping[str, object]) -> None:
        """Start a new process, whose session knows nothing yet."""
        self.end()
        self._executor = _started(folders, options, self._hurried)

    def end(self) -> None:
        """End the process, whatever it is doing."""
        for process in (self._executor._processes or {}).values():
            process.terminate()
        self._executor.shutdown(wait=False, cancel_futures=True)


def is_hurried() -> bool:
    """In the process: whether what it is doing is to be stopped."""
    return bool(_hurried and _hurried[0].value)


def _started(folders: Sequence[str], options: Mapping[str, object], hurried: ctypes.c_byte) -> ProcessPoolExecutor:
    given = (tuple(folders), dict(options), hurried)
    executor = ProcessPoolExecutor(1, _CONTEXT, initializer=_begin, initargs=given)
    executor.submit(os.getpid)  # starts the process
    return executor


def _begin(folders: Sequence[str], options: Mapping[str, object], hurried: ctypes.c_byte) -> None:
    begin_process()
    _hurried[:] = [hurried]
    # Standard input and output are the editor's.
    for file, flags in ((0, os.O_RDONLY), (1, os.O_WRONLY)):
        os.dup2(os.open(os.devnull, flags), file)
    gc.disable()  # nothing of what is imported is ever garbage
    from inplace_lint.pipeline.session import Session

    path = os.path.abspath("first.py")
    Session((), {}).check(path, {path: _FIRST})
    _sessions[:] = [Session(folders, options)]
    gc.freeze()
    gc.enable()


def _in_session(work: Callable[..., Any], *args: Any, **named: Any) -> Any:
    return work(_sessions[0], *args, **named)
