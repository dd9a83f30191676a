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
    from inplace_lint.pipeline.session import Session

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")

_sessions: list[Session] = []

# To check this imports and builds all that a first check needs.
_FIRST = """import torch

x = torch.randn(3, requires_grad=True)
y = torch.sigmoid(x)
y.mul_(2)
y.sum().backward()
"""


class Worker:
    """A process with a session. If it dies, its futures raise `BrokenExecutor`; then renew it.

    Args:
        folders, options: of the session.
    """

    def __init__(self, folders: Sequence[str], options: Mapping[str, object]) -> None:
        self._executor = _started(folders, options)

    def submit(
        self, work: Callable[Concatenate[Session, _Given], _Result], *args: _Given.args, **named: _Given.kwargs
    ) -> Future[_Result]:
        """Do some work with the session, after all that was submitted before."""
        return self._executor.submit(_in_session, work, *args, **named)

    def renew(self, folders: Sequence[str], options: Mapping[str, object]) -> None:
        """Start a new process, whose session knows nothing yet."""
        self.end()
        self._executor = _started(folders, options)

    def end(self) -> None:
        """End the process, whatever it is doing."""
        for process in (self._executor._processes or {}).values():
            process.terminate()
        self._executor.shutdown(wait=False, cancel_futures=True)


def _started(folders: Sequence[str], options: Mapping[str, object]) -> ProcessPoolExecutor:
    # Not forked: the editor's side has threads, and need not have imported the analysis.
    context = multiprocessing.get_context("spawn")
    executor = ProcessPoolExecutor(1, context, initializer=_begin, initargs=(tuple(folders), dict(options)))
    executor.submit(os.getpid)  # starts the process
    return executor


def _begin(folders: Sequence[str], options: Mapping[str, object]) -> None:
    begin_process()
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
