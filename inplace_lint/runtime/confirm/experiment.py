"""Runs a target again and again: plainly, watched, and with writes put out of place."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import lru_cache
from types import FrameType
from typing import Any

import torch
from torch import Tensor

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.runtime.confirm.calls import Called, Calls
from inplace_lint.runtime.confirm.fork import Apart, Fork
from inplace_lint.runtime.confirm.key import Key
from inplace_lint.runtime.confirm.outcome import Outcome, difference, observe, roots_of, seed
from inplace_lint.runtime.confirm.replay import Replay
from inplace_lint.runtime.confirm.trace import Traced, UntraceableError, trace
from inplace_lint.runtime.errors import TargetError
from inplace_lint.runtime.recorder import Place
from inplace_lint.runtime.recorder.frames import here
from inplace_lint.runtime.recorder.verdict import Judge
from inplace_lint.runtime.target import Call, Target, told
from inplace_lint.runtime.values import tensors_of

Writes = Mapping[Key, Apart]


@dataclass(frozen=True, slots=True)
class Watched:
    """A watched run.

    Args:
        outcome: what came of it.
        log: its calls.
        errors: PyTorch's errors, also those that the program caught, each with what explains it.
        silent: what PyTorch should have refused, but cannot see.
    """

    outcome: Outcome
    log: Sequence[Called]
    errors: Sequence[tuple[str, Sequence[Diagnostic]]]
    silent: Sequence[Diagnostic]


def plainly(target: Target) -> Outcome:
    """Run the user's program as it is.

    Raises:
        TargetError: it fails for a reason of its own.
    """
    call = target.fresh()
    try:
        return observe(call, lambda: _called(call, None))
    except TargetError:
        raise
    except SystemExit as error:
        raise TargetError(f"{target.name}: exits with status {error.code}") from error
    except Exception as error:
        cure = "" if call.is_program else '; give fitting inputs with --input "NAME=randn(...)"'
        raise TargetError(f"{target.name}: fails on these inputs: {told(error)}{cure}") from error


def watched(target: Target, writes: Writes) -> Watched:
    """Run it under the recorder, with these writes out of place."""
    call, fork, errors = target.fresh(), Fork(writes), list[tuple[str, Sequence[Diagnostic]]]()
    judge = Judge(lambda error, findings: errors.append((str(error), list(findings))))
    calls = Calls(_inside(), fork)
    with judge.recorder, calls:
        outcome = observe(call, lambda: _called(call, fork))
    return Watched(outcome, calls.log, errors, list(judge.silent.values()))


def lines_run(target: Target, path: str) -> set[int]:
    """Which lines of a file, given by its real path, a run goes through."""
    call, found = target.fresh(), set[int]()
    real = lru_cache(os.path.realpath)

    def line(frame: FrameType, event: str, _: object) -> Any:
        found.add(frame.f_lineno)
        return line

    def enter(frame: FrameType, event: str, _: object) -> Any:
        return line if real(frame.f_code.co_filename) == path else None

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        observe(call, lambda: _called(call, None))
    finally:
        sys.settrace(before)
    return found


@dataclass(frozen=True, slots=True)
class Forked:
    """A run with writes out of place: what came of it, and the calls that were really changed."""

    outcome: Outcome
    changed: Set[Key]


def forked(target: Target, writes: Writes, traced: Traced | None) -> Forked:
    """Run the graph, or without one the program itself, with these writes out of place."""
    call, fork = target.fresh(), Fork(writes)
    if traced is None:
        with Calls(_inside(), fork):
            return Forked(observe(call, lambda: _called(call, fork)), fork.changed)
    replay = Replay(traced, call)

    def run() -> tuple[list[Tensor], list[Tensor]]:
        results = _returned(replay.tensors(), fork)
        return results, [results[i] for i in traced.roots if results[i].requires_grad]

    with Calls(lambda: replay.place, fork):
        return Forked(observe(call, run), fork.changed)


def traced(target: Target, writes: Writes, expected: Outcome) -> Traced | str:
    """The graph of the program, checked by a run of it; if there can be none, the reason."""
    call = target.fresh()
    if call.is_program:
        return "it is a whole program, which takes its gradients itself"
    try:
        with ExitStack() as stack:
            if writes:
                stack.enter_context(Calls(_inside(), Fork(writes)))
            seed()
            graph = trace(call, _inside())
        found = difference(forked(target, writes, graph).outcome, expected)
    except UntraceableError as error:
        return str(error).splitlines()[0]
    except Exception as error:  # the graph, not the program, is at fault
        return told(error)
    return f"its graph computes something else ({found.name})" if found else graph


def _inside() -> Callable[[], Place]:
    """Where the program is, without the frames of whoever called us."""
    outside = len(here().frames)

    def place() -> Place:
        now = here()
        return replace(now, frames=now.frames[: len(now.frames) - outside])

    return place


def _called(call: Call, fork: Fork | None) -> tuple[list[Tensor], list[Tensor]]:
    result = call.function(*call.args, **call.kwargs)
    results = tensors_of(result)
    roots = [i for i, tensor in enumerate(results) if any(tensor is root for root in roots_of(result, results))]
    results = _returned(results, fork)
    return results, [results[i] for i in roots if results[i].requires_grad]


def _returned(results: Sequence[Tensor], fork: Fork | None) -> list[Tensor]:
    if fork is None:
        return list(results)
    with torch._C.DisableTorchFunction():  # else what finds the copies would be led to the copies itself
        return fork.operands(None, results)
