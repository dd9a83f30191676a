"""Runs a function in a process of its own: an op may crash on arguments that do not fit together."""

from __future__ import annotations

import os
import pickle
import traceback
from collections.abc import Callable
from typing import TypeVar, cast

T = TypeVar("T")


def isolated(function: Callable[[], T]) -> T | None:
    """The function's result, or None if its process died. What it raises is raised here too."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        _answer(function, write)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        answer = pipe.read()
    _, status = os.waitpid(child, 0)
    if status != 0:
        return None
    result, error = pickle.loads(answer)
    if error is not None:
        raise RuntimeError(error)
    return cast(T, result)


def _answer(function: Callable[[], object], write: int) -> None:
    status = 1
    try:
        # what a dying allocator prints is no use to anyone
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        with os.fdopen(write, "wb") as pipe:
            pickle.dump(_tried(function), pipe)
        status = 0
    finally:
        # no exit handlers: they belong to the parent
        os._exit(status)


def _tried(function: Callable[[], object]) -> tuple[object, str | None]:
    try:
        return function(), None
    except Exception:
        return None, traceback.format_exc()
