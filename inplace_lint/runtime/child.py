"""Records processes that a program starts: ranks that `mp.spawn` or torchrun start, workers of data loaders.

`run` sets the switch in the environment, and Python's start (`children/sitecustomize.py`) begins. Nobody
waits for the end of such a process, so everything is told at once: an error carries its story as a note, which
comes along wherever its traceback is printed; a silent write goes to standard error.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType

import torch

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.runtime.recorder.verdict import Judge
from inplace_lint.runtime.watch import explain, refuse, told, unsuppressed, without_our_frames

_SWITCH = "INPLACE_LINT_CHILDREN"
_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "children")

_judges: list[Judge] = []


@contextmanager
def followed(strict: bool) -> Iterator[None]:
    """Let the processes that are started inside be recorded; this one, the caller records himself."""
    while _judges:
        _judges.pop().recorder.__exit__(None, None, None)
    before = {name: os.environ.get(name) for name in (_SWITCH, "PYTHONPATH")}
    others = [folder for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder not in ("", _FOLDER)]
    os.environ[_SWITCH] = "strict" if strict else "on"
    os.environ["PYTHONPATH"] = os.pathsep.join([_FOLDER, *others])
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def begin() -> None:
    """Record this process until it ends."""
    judge = Judge(_explain, refuse if os.environ.get(_SWITCH) == "strict" else Teller())
    judge.recorder.__enter__()
    _judges.append(judge)
    sys.excepthook = _without_frames(sys.excepthook)


def rank() -> str:
    """Which of several processes this is; empty if there are no others."""
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        return f"rank {torch.distributed.get_rank()}"
    if "RANK" in os.environ:
        return f"rank {os.environ['RANK']}"
    process = multiprocessing.current_process()
    return "" if process.name == "MainProcess" else process.name


class Teller:
    """Writes silent findings to standard error, each once."""

    def __init__(self) -> None:
        self._told: set[str] = set()

    def __call__(self, diagnostics: Sequence[Diagnostic]) -> None:
        """Tell of findings as a backward pass comes upon them."""
        text = told(unsuppressed(diagnostics))
        if text and text not in self._told:
            self._told.add(text)
            print(by_rank(text), file=sys.stderr, flush=True)


def by_rank(text: str) -> str:
    """A story under the name of the process that it happened in."""
    name = rank()
    return f"{name}:\n{text}" if name else text


def _explain(error: BaseException, diagnostics: Sequence[Diagnostic]) -> None:
    explain(error, diagnostics, rank())


_Hook = Callable[[type[BaseException], BaseException, "TracebackType | None"], object]


def _without_frames(show: _Hook) -> _Hook:
    def show_users_frames(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        without_our_frames(error)
        show(kind, error, error.__traceback__)

    return show_users_frames
