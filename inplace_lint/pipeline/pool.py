"""Work on many files in several processes: large ones first, results in order, a death kept inside its file."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import active_children, parent_process
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from typing import Any, Generic, Protocol, TypeVar

# Fewer files than this are done before a pool of processes has started.
WORTH_A_POOL = 8

SECONDS_BETWEEN_LOOKS = 0.2

# What a new process needs, imported once for all where processes are forked.
_PRELOADED = ("inplace_lint.interpret.analysis.analyze", "inplace_lint.rules")

_Result = TypeVar("_Result")
_Config = TypeVar("_Config")


class Executor(Protocol):
    """What is asked of an executor: those of `concurrent.futures`, Dask, Ray and others have it."""

    def submit(self, fn: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """Call `fn` some time, somewhere."""


def processors() -> int:
    """How many processes can run at the same time."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_executor(
    executor: Executor, work: Callable[[str, _Config], _Result], files: Sequence[str], configs: Sequence[_Config]
) -> Iterator[_Result | None]:
    """The results for all files, in order, from an executor of the caller's; None where a worker died."""
    for future in _submitted(executor, work, files, configs):
        try:
            yield future.result()
        except BrokenExecutor:
            yield None


def in_processes(
    jobs: int,
    work: Callable[[str, _Config], _Result],
    files: Sequence[str],
    configs: Sequence[_Config],
    finished: Callable[[int], None] = lambda _: None,
) -> Iterator[_Result | None]:
    """The results for all files, in order; None for a file at which a process died.

    If one dies, what is left is done one at a time, to learn by which file. While a result is waited for, `finished` is
    told now and then how many there are, in any order.
    """
    told, threading.excepthook = threading.excepthook, _silent_managers(threading.excepthook)
    try:
        yield from _in_pool(jobs, work, files, configs, finished)
    finally:
        threading.excepthook = told


def _in_pool(
    jobs: int,
    work: Callable[[str, _Config], _Result],
    files: Sequence[str],
    configs: Sequence[_Config],
    finished: Callable[[int], None],
) -> Iterator[_Result | None]:
    others = set(active_children())
    begun = None
    try:
        begun = _begin(jobs, work, files, configs)
        if begun is None:
            _terminate(set(active_children()) - others)
            gc.collect()  # what was half made holds descriptors
            yield from map(work, files, configs)
            return
        for index, (path, config, future) in enumerate(zip(files, configs, begun.futures, strict=True)):
            if not begun.wait_for(future, finished):
                _terminate(set(active_children()) - others)
                yield from map(work, files[index:], configs[index:])
                return
            try:
                yield future.result()
            except BrokenExecutor:
                yield begun.do_alone(work, path, config)
    except BaseException:  # Ctrl-C, or a caller that wants no more: do not finish what has begun
        _terminate(set(active_children()) - others)
        raise
    finally:  # waits: a pool that is still closing when Python exits may stumble over its own pipe
        if begun is not None:
            begun.pool.shutdown(cancel_futures=True)


@dataclass
class _Begun(Generic[_Result]):
    """A pool at work.

    Args:
        managers: the threads that hand out its work.
        alone: a process has died, and another pool does one file at a time.
    """

    pool: ProcessPoolExecutor
    context: BaseContext
    futures: list[Future[_Result]]
    managers: list[threading.Thread]
    alone: bool = False

    def wait_for(self, future: Future[_Result], finished: Callable[[int], None]) -> bool:
        """Wait for a result; whether it came: nobody may hand out work any more."""
        while not future.done() and (self.alone or any(each.is_alive() for each in self.managers)):
            wait([future], SECONDS_BETWEEN_LOOKS)
            finished(sum(map(_succeeded, self.futures)))
        return future.done()

    def do_alone(self, work: Callable[[str, _Config], _Result], path: str, config: _Config) -> _Result | None:
        """The result for a file that was not done when a process died; None if one dies at this file."""
        if not self.alone:
            self.pool, self.alone = _anew(self.pool, self.context), True
        try:
            return self.pool.submit(work, path, config).result()
        except BrokenExecutor:
            self.pool = _anew(self.pool, self.context)
            return None


def _begin(
    jobs: int, work: Callable[[str, _Config], _Result], files: Sequence[str], configs: Sequence[_Config]
) -> _Begun[_Result] | None:
    """A pool that has been given the files; None where too few descriptors, processes or threads are allowed."""
    before, context = set(threading.enumerate()), _context()
    with suppress(OSError, RuntimeError), _uninterrupted():
        pool = _pool(jobs, context)
        futures = _submitted(pool, work, files, configs)
        managers = [each for each in threading.enumerate() if each not in before and _manages(each)]
        return _Begun(pool, context, futures, managers)
    return None


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Puts Ctrl-C off: Python drops an interrupt in what it runs around a fork."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _manages(thread: threading.Thread | None) -> bool:
    """Whether it hands out the work of a pool: out of memory or threads, it dies, and nothing is ever done."""
    return type(thread).__module__ == ProcessPoolExecutor.__module__


_Hook = Callable[[threading.ExceptHookArgs], object]


def _silent_managers(hook: _Hook) -> _Hook:
    """A hook that prints no traceback of a manager: another way is found to do its work."""
    return lambda failure: None if _manages(failure.thread) else hook(failure)


def _succeeded(future: Future[_Result]) -> bool:
    return future.done() and future.exception() is None


def _anew(broken: ProcessPoolExecutor, context: BaseContext) -> ProcessPoolExecutor:
    """One process in place of a pool of which one died."""
    broken.shutdown()
    return _pool(1, context)


def _submitted(
    executor: Executor, work: Callable[[str, _Config], _Result], files: Sequence[str], configs: Sequence[_Config]
) -> list[Future[_Result]]:
    """The largest files go first, so that none is begun when all others are done."""
    futures: dict[int, Future[_Result]] = {}
    for index in sorted(range(len(files)), key=lambda index: -_size(files[index])):
        futures[index] = executor.submit(work, files[index], configs[index])
    return [futures[index] for index in range(len(files))]


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


def _pool(jobs: int, context: BaseContext) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(jobs, context, initializer=begin_process)


def begin_process() -> None:
    """Make a new process go when it shall, or when nobody waits for it any more."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # by default it prints a traceback on Ctrl-C
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    with suppress(RuntimeError):  # no thread to be had
        threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _terminate(processes: Iterable[BaseProcess]) -> None:
    for process in processes:
        process.terminate()


def _context() -> BaseContext:
    """Fork where that is safe: a child then has all that was imported, at once."""
    if sys.platform != "linux":
        return multiprocessing.get_context()
    if threading.active_count() == 1:
        for name in _PRELOADED:
            __import__(name)
        return multiprocessing.get_context("fork")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*_PRELOADED, "inplace_lint.pipeline.lint_file"])
    return context
