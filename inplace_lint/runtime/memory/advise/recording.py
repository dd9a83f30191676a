"""One run of a model as it is, changed in few respects: its memory, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from types import FrameType

import torch
from torch import Tensor, nn

from inplace_lint.runtime.confirm.outcome import Outcome, backward, observe, roots_of
from inplace_lint.runtime.errors import TargetError
from inplace_lint.runtime.memory.advise.calls import Calls, Noted, Spelled
from inplace_lint.runtime.memory.advise.lives import GIVEN, Life, Lives
from inplace_lint.runtime.recorder.saves import same_values
from inplace_lint.runtime.target import Call, Target, told
from inplace_lint.runtime.values import leaves, tensors_of


@dataclass(frozen=True, slots=True)
class Recording:
    """A run.

    Args:
        timeline: live bytes after each step.
        forward: how many steps of it are forward.
        lives: its storages, by number.
        results: numbers of those that the model returns.
        noted: its calls.
        outcome: results and gradients.
        buffers: the buffers as they are afterwards.
    """

    timeline: list[int]
    forward: int
    lives: list[Life]
    results: frozenset[int]
    noted: Noted
    outcome: Outcome
    buffers: Mapping[str, Tensor]

    @property
    def peak(self) -> int:
        """The most bytes that were alive at once."""
        return max(self.timeline, default=0)

    @property
    def peak_step(self) -> int:
        """The first step after which so much was alive."""
        return self.timeline.index(self.peak) if self.timeline else GIVEN

    @property
    def in_backward(self) -> bool:
        """Whether the peak is in backward."""
        return self.peak_step >= self.forward

    @property
    def kept(self) -> int:
        """Bytes that are alive between forward and backward."""
        return self.timeline[self.forward - 1] if self.forward else 0


@dataclass(frozen=True, slots=True)
class Change:
    """How a run differs from the program as it is.

    Args:
        in_place: calls to run in place.
        prepare: changes the model before the run.
        stop: the step at which to look.
        look: gets the frames that run then, the model, the results so far, and what follows the storages.
    """

    in_place: Collection[Spelled] = ()
    prepare: Callable[[nn.Module], None] = lambda model: None
    stop: int = GIVEN
    look: Callable[[FrameType, nn.Module, list[Tensor], Lives], None] = lambda *_: None


def record(target: Target, recorded: bool, change: Change = Change()) -> Recording:
    """Run a model, and with gradients also backward.

    Raises:
        TargetError: it is no model, or it fails.
    """
    call = target.fresh()
    if call.model is None:
        raise TargetError(f"{target.name}: is a whole program; give a model, or a function and its inputs")
    model, results = call.model, list[Tensor]()
    change.prepare(model)
    lives = Lives(change.stop, lambda frame: change.look(frame, model, results, lives))
    calls = Calls(lives, change.in_place)
    lives.give([*model.parameters(), *model.buffers(), *leaves((call.args, dict(call.kwargs)))])
    forward, returned = 0, frozenset[int]()

    def run() -> tuple[list[Tensor], list[Tensor]]:
        nonlocal forward, returned
        with lives, calls:
            roots = _run(call, results)
            forward = lives.step
            returned = frozenset(n for n in map(lives.number, results) if n is not None)
            backward(roots)
        lives.finish()
        return results, []

    try:
        with nullcontext() if recorded else torch.no_grad():
            outcome = observe(call, run)
    except TargetError:
        raise
    except Exception as error:
        cure = '; give fitting inputs with --input "NAME=randn(...)"'
        raise TargetError(f"{target.name}: fails on these inputs: {told(error)}{cure}") from error
    buffers = {name: buffer.detach().clone() for name, buffer in model.named_buffers()}
    return Recording(lives.timeline, forward, lives.lives, returned, calls.noted, outcome, buffers)


def _run(call: Call, results: list[Tensor]) -> list[Tensor]:
    """Run forward; the results go into the list, those to differentiate are returned."""
    result = call.function(*call.args, **call.kwargs)
    results += tensors_of(result)
    return roots_of(result, results)


def same(a: Recording, b: Recording) -> bool:
    """Whether two runs left the same results, gradients and inputs, to the bit."""
    if a.outcome.error is not None or b.outcome.error is not None:
        return False
    ours, theirs = a.outcome, b.outcome
    return (
        _all_equal(ours.values, theirs.values)
        and _all_equal(ours.gradients, theirs.gradients)
        and _all_equal(ours.inputs, theirs.inputs)
    )


def same_buffers(a: Recording, b: Recording) -> bool:
    """Whether two runs left the same buffers, to the bit."""
    return _all_equal(a.buffers, b.buffers)


def _all_equal(a: Mapping[str, Tensor], b: Mapping[str, Tensor]) -> bool:
    return a.keys() == b.keys() and all(_equal(a[name], b[name]) for name in a)


def _equal(a: Tensor, b: Tensor) -> bool:
    if (a.layout, a.shape, a.dtype) != (b.layout, b.shape, b.dtype):
        return False
    return same_values(a, b) if a.layout is torch.strided else same_values(a.to_dense(), b.to_dense())
