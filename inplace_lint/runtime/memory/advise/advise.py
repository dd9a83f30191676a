"""All advice on the memory of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inplace_lint.runtime.errors import TargetError
from inplace_lint.runtime.memory.advise.checkpoints import Checkpointed, checkpointed
from inplace_lint.runtime.memory.advise.held import Held, held_for_nothing
from inplace_lint.runtime.memory.advise.recording import Recording, record
from inplace_lint.runtime.memory.advise.safe import InPlace, safe_in_place
from inplace_lint.runtime.memory.advise.twice import Twice, alive_twice
from inplace_lint.runtime.target import Target, told


@dataclass(frozen=True, slots=True)
class Advice:
    """What could be done about the memory of a model.

    Args:
        run: the model as it is.
        in_place: what could be in place.
        held: what is held at the peak and never read again.
        twice: what is alive twice at the peak.
        checkpoints: layers that would save memory if they were checkpointed.
    """

    run: Recording
    in_place: InPlace
    held: Sequence[Held]
    twice: Sequence[Twice]
    checkpoints: Sequence[Checkpointed]


def advise(target: Target, recorded: bool = True) -> Advice:
    """Run a model again and again, and tell what would lower its peak; each is done for real.

    Args:
        target: the model and its inputs.
        recorded: record gradients, and run backward.

    Raises:
        TargetError: it is no model, fails, or PyTorch refuses one of its in-place ops.
    """
    run = record(target, recorded)
    if run.outcome.error is not None:
        words = told(run.outcome.error).partition(" Hint:")[0]
        raise TargetError(f"{target.name}: PyTorch raises, see `inplace-lint confirm`: {words}")
    return Advice(
        run,
        safe_in_place(target, recorded, run),
        held_for_nothing(target, recorded, run),
        alive_twice(run),
        checkpointed(target, run) if recorded else [],
    )
